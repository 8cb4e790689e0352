/** Proves that a hook can bring a summary and nothing else: no plan, session or log is spoilt by what it answers. */

import { describe, expect, test } from "vitest";
import { type HookMade, hookCandidate } from "../../../src/compaction/hooks/hook-candidate.ts";
import { preparationOf } from "../../../src/compaction/hooks/preparation.ts";
import { type Plan, prepareCompaction } from "../../../src/compaction/planning/plan.ts";
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

/** What is made of a hook's compaction. */
function made(compaction: object, plan = planOf(...lines)): HookMade {
  return hookCandidate(plan, { summary: "mine", firstKeptEntryId: plan.kept[0]?.id, ...compaction });
}

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
  ])("CMP7 %s is refused with a sentence", (_, details) => {
    expect(() => made({ details })).toThrow("its details are no JSON of at most 262144 letters");
  });

  test("CMP7 are kept as they will be in the log, and later changes of the hook's own are not", () => {
    const details = { list: [1, undefined], when: new Date(0), none: undefined };
    const { candidate } = made({ details });
    details.list.push(2);
    expect(candidate.details).toStrictEqual({ list: [1, null], when: "1970-01-01T00:00:00.000Z" });
  });

  test.each([[null], ["text"], [["list"]], [7], [{ toJSON: () => 7 }]])("CMP7 %j is none", (details) => {
    expect(made({ details }).candidate).not.toHaveProperty("details");
  });
});

describe("its usage", () => {
  const usage = { ...nothingUsed, input: 10, totalTokens: 10, cost: { ...nothingUsed.cost, total: 0.5 } };

  test("CMP7 CMP8 is taken over, and only what we know of it", () => {
    expect(made({ usage: { ...usage, more: 1n } }).candidate.calls).toStrictEqual([{ usage }]);
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
  ])("CMP7 one with %s is left out", (_, odd) => {
    expect(made({ usage: odd }).candidate).not.toHaveProperty("calls");
  });
});

describe("its cut", () => {
  test("CMP7 CUT2 a tool result is never the first that is kept, be it removed or not", () => {
    expect(() => made({ firstKeptEntryId: "e4" })).toThrow("nothing can be cut at e4");
    const shown = planOf(...lines.filter((line) => line !== "drops e4"));
    expect(() => made({ firstKeptEntryId: "e4" }, shown)).toThrow("nothing can be cut at e4");
    expect(made({ firstKeptEntryId: "e3" }).plan.kept[0]?.id).toBe("e3");
  });

  test.each<[string, unknown]>([
    ["no text", { toString: null }],
    ["a symbol", Symbol("e3")],
    ["the very first entry", "e1"],
  ])("CMP7 one that names %s fails", (_, firstKeptEntryId) => {
    expect(() => made({ firstKeptEntryId })).toThrow();
  });
});

describe("what it is told", () => {
  test("CMP7 B73 has the documents' shape", () => {
    const { messagesToSummarize, ...rest } = preparationOf(planOf(...lines));
    expect(messagesToSummarize.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(rest).toEqual({
      firstKeptEntryId: "e7",
      turnPrefixMessages: [{ role: "user", content: "two", timestamp: expect.any(Number) }],
      isSplitTurn: true,
      tokensBefore: expect.any(Number),
      fileOps: { read: new Set(["a.ts"]), written: new Set(), edited: new Set() },
      settings: { enabled: true, reserveTokens: 500, keepRecentTokens: 60 },
    });
  });

  test("CMP7 is a copy: emptying every list changes neither plan nor window", () => {
    const plan = planOf(...lines);
    const before = structuredClone(plan);
    const told = preparationOf(plan);
    for (const message of told.messagesToSummarize) Object.assign(message, { content: "gone" });
    told.messagesToSummarize.length = 0;
    told.fileOps.read.clear();
    expect(plan).toEqual(before);
  });
});

test("CMP7 an answer whose members throw is one that failed", () => {
  const answer = {
    get summary() {
      throw new Error("not today");
    },
  };
  expect(() => hookCandidate(planOf(...lines), answer)).toThrow("not today");
});
