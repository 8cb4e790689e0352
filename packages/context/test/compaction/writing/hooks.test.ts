/** Proves that a hook can bring a summary and nothing else: no plan, session or log is spoilt by what it does or answers. */

import { describe, expect, test } from "vitest";
import { type Plan, prepareCompaction } from "../../../src/compaction/planning/plan.ts";
import type { Written } from "../../../src/compaction/writing/candidate.ts";
import { hookWriter, type SessionBeforeCompactEvent } from "../../../src/compaction/writing/hooks.ts";
import { windowOf } from "../../../src/session/window.ts";
import { nothingUsed, story } from "../../../src/testing/story.ts";
import { smallBudget, words } from "../small-session.ts";

const lines = [
  "user: one",
  `says: ${words(900)}`,
  "calls: read path=a.ts",
  "result: a file",
  "drops e4",
  "user: two",
  `says: ${words(30)}`,
  "user: three",
];

function planOf(...told: readonly string[]): Plan {
  const prepared = prepareCompaction(windowOf(story(...told)), smallBudget());
  if (prepared.type !== "planned") throw new Error(`nothing is planned: ${prepared.why}`);
  return prepared.plan;
}

type Hook = (event: SessionBeforeCompactEvent) => unknown;

async function written(hook: Hook, plan = planOf(...lines)): Promise<Written> {
  return hookWriter(hook as Parameters<typeof hookWriter>[0]).write(plan, {});
}

const answering =
  (compaction: object): Hook =>
  ({ preparation }) => ({ compaction: { summary: "mine", firstKeptEntryId: preparation.kept[0]?.id, ...compaction } });

function nested(depth: number): object {
  return Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), {});
}

describe("its details", () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;

  test.each<[string, object]>([
    ["a ring", ring],
    ["a BigInt", { count: 1n }],
    ["40 MB", { text: "x".repeat(40_000_000) }],
    ["300 levels", nested(300)],
    ["a hundred thousand levels", nested(100_000)],
    [
      "a member that throws",
      {
        toJSON() {
          throw new Error("no");
        },
      },
    ],
  ])("CMP7 %s is refused with a sentence", async (_, details) => {
    expect(await written(answering({ details }))).toEqual({
      type: "failed",
      why: "its details are no JSON of at most 262144 letters",
    });
  });

  test("CMP7 are kept as they will be in the log, and later changes of the hook's own are not", async () => {
    const details = { list: [1, undefined], when: new Date(0), none: undefined };
    const outcome = await written(answering({ details }));
    details.list.push(2);
    expect(outcome).toMatchObject({ type: "written" });
    const { candidate } = outcome as Extract<Written, { type: "written" }>;
    expect(candidate.details).toStrictEqual({ list: [1, null], when: "1970-01-01T00:00:00.000Z" });
  });

  test.each([[null], ["text"], [["list"]], [7], [{ toJSON: () => 7 }]])("CMP7 %j is none", async (details) => {
    const outcome = await written(answering({ details }));
    expect(outcome).toMatchObject({ type: "written" });
    expect((outcome as Extract<Written, { type: "written" }>).candidate).not.toHaveProperty("details");
  });
});

describe("its usage", () => {
  const usage = { ...nothingUsed, input: 10, totalTokens: 10, cost: { ...nothingUsed.cost, total: 0.5 } };

  test("CMP7 CMP8 is taken over, and only what we know of it", async () => {
    const outcome = await written(answering({ usage: { ...usage, more: 1n } }));
    expect(outcome).toMatchObject({ type: "written", candidate: { story: "mine" } });
    expect((outcome as Extract<Written, { type: "written" }>).candidate.usage).toStrictEqual(usage);
  });

  test.each<[string, unknown]>([
    ["a BigInt", { ...usage, input: 1n }],
    ["a text", { ...usage, output: "12" }],
    ["a negative cost", { ...usage, cost: { ...usage.cost, total: -1 } }],
    ["an endless cost", { ...usage, cost: { ...usage.cost, total: Number.POSITIVE_INFINITY } }],
    ["no number", { ...usage, totalTokens: Number.NaN }],
    ["no cost", { ...usage, cost: undefined }],
    ["a list", []],
    ["null", null],
  ])("CMP7 one with %s is left out", async (_, odd) => {
    const outcome = await written(answering({ usage: odd }));
    expect(outcome).toMatchObject({ type: "written" });
    expect((outcome as Extract<Written, { type: "written" }>).candidate).not.toHaveProperty("usage");
  });
});

describe("its cut", () => {
  test("CMP7 CUT2 a tool result is never the first that is kept, be it removed or not", async () => {
    const refused = { type: "failed", why: "nothing can be cut at e4" };
    expect(await written(answering({ firstKeptEntryId: "e4" }))).toEqual(refused);
    const shown = planOf(...lines.filter((line) => line !== "drops e4"));
    expect(await written(answering({ firstKeptEntryId: "e4" }), shown)).toEqual(refused);
    expect(await written(answering({ firstKeptEntryId: "e3" }))).toMatchObject({ type: "written" });
  });

  test.each<[string, unknown]>([
    ["no text", { toString: null }],
    ["a symbol", Symbol("e3")],
  ])("CMP7 one that names %s fails, and does not throw", async (_, firstKeptEntryId) => {
    expect(await written(answering({ firstKeptEntryId }))).toMatchObject({ type: "failed" });
  });
});

describe("what it is told", () => {
  test("CMP7 is a copy: emptying every list changes neither plan nor window", async () => {
    const plan = planOf(...lines);
    const before = structuredClone(plan);
    const outcome = await written(({ preparation }) => {
      const { window, words: kept, carried, budget } = preparation;
      const lists = [preparation.covered, preparation.kept, preparation.turn, preparation.reductions];
      const others = [window.entries, window.edits, window.gaps, window.state.pins, kept.blocks, kept.evicted];
      for (const list of [...lists, ...others, kept.shortened, carried.words, budget.limits.thresholds])
        (list as unknown[]).length = 0;
      return { compaction: { summary: "mine", firstKeptEntryId: before.kept[0]?.id } };
    }, plan);
    expect(plan).toEqual(before);
    expect(outcome).toMatchObject({ type: "written", plan: before });
  });

  test("CMP7 has the entries of the log themselves, which are many and big", async () => {
    const plan = planOf(...lines);
    await written(({ preparation }) => {
      expect(preparation.covered[0]).toBe(plan.covered[0]);
      expect(preparation).toEqual(plan);
    }, plan);
  });
});

test("CMP7 an answer whose members throw is one that failed", async () => {
  const answer = {
    get compaction() {
      throw new Error("not today");
    },
  };
  expect(await written(() => answer)).toEqual({ type: "failed", why: "not today" });
});
