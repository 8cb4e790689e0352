/** Proves that a summary by code keeps the summary before it: whole where there is room, else shortened with its place named. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactionLevels, createBudget } from "../../src/compaction/budget.ts";
import type { Summarizer } from "../../src/compaction/plan.ts";
import type { Receipt } from "../../src/compaction/receipt.ts";
import { compact } from "../../src/default-compaction.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import { prepareCompaction } from "../../src/pi-calls.ts";
import type { Session } from "../../src/session/session.ts";
import { compactionLimits } from "../../src/settings.ts";
import { readPreviousSummary } from "../../src/summary/parse-summary.ts";
import { createFallbackSummary } from "../../src/summary-parts/fallback-summary.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { story as entriesOf } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { contextLines, createSession, repeatWord } from "../support/small-session.ts";
import { isLong } from "../support/test-length.ts";

const RUNS = isLong ? 30 : 8;

const WHOLE: readonly string[] = compactionLevels
  .filter(({ summaryShare: front }) => front === 1)
  .map(({ name }) => name);

/** Brings the summary the first time, and nothing after that. */
function writerOf(summary: string): Summarizer {
  let times = 0;
  return {
    name: "host",
    isPaid: false,
    summarize: ({ covered }) =>
      times++ === 0
        ? {
            type: "written",
            candidate: { route: "host", narrative: summary, notes: "", covers: new Set(covered.map(({ id }) => id)) },
          }
        : { type: "failed", why: "it is silent" },
  };
}

const newest = ({ branch: window }: Session): CompactionEntry =>
  window.entries[window.compactionIndex] as CompactionEntry;

async function work(session: Session, count: number, size: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const user = { role: "user", content: `request ${at}: ${repeatWord(12, "wish")}`, timestamp: 1 } as const;
    const content = [{ type: "text" as const, text: repeatWord(size, `answer${at}x`) }];
    const reply = { role: "assistant", content, api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 1 };
    await session.append(
      { type: "message", message: user },
      { type: "message", message: { ...reply, usage } as never },
    );
  }
}

const usage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** These facts over and over, up to so many tokens. */
function filled(facts: readonly string[], tokens: number): string {
  const lines = ["## Next Steps"];
  for (let at = 0; ; at++) {
    const next = [...lines, `${facts[at % facts.length]} ${at}`];
    if (textTokens(next.join("\n")) > tokens) return lines.join("\n");
    lines.push(next.at(-1) ?? "");
  }
}

const line = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `- ${text.replaceAll(/\s+/g, " ")} fact`);

test("CMP11 any earlier summary is carried over unchanged by every summary without a model", async () => {
  let proved = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      fc.constantFrom(8_000, 24_000),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
      async (facts, share, contextWindow, rounds) => {
        const session = await createSession("user: begin", "says: yes");
        const budget = createBudget(compactionLimits, { contextWindow });
        const ports = testRuntime("x");
        const summary = filled(facts, budget.checkpoint * share);
        const writers = [writerOf(summary)];
        const size = Math.ceil(contextWindow / 12);
        await work(session, 8, size);
        const first = await compact({ session, budget, reason: "asked", runtime: ports, summarizers: writers });
        if (first.type !== "compacted" || first.receipt.route !== "host") return;
        const { narrative: story } = readPreviousSummary(newest(session));
        for (const count of rounds) {
          await work(session, count + 4, size);
          const { receipt } = (await compact({
            session,
            budget,
            reason: "due",
            runtime: ports,
            summarizers: writers,
          })) as {
            receipt: Receipt;
          };
          expect(receipt.route).toBe("model-free");
          const { summary: text } = newest(session);
          if (!WHOLE.includes(receipt.rung)) return;
          expect(readPreviousSummary(newest(session)).narrative).toBe(story);
          expect(text).toContain(story);
          expect(text.match(/^# Turns .*an automatic list/gm)).toHaveLength(1);
          proved += 1;
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(proved).toBeGreaterThan(RUNS / 2);
});

describe("CMP11 the earlier summary is carried over at the compaction level", () => {
  const summary = filled(["- a fact"], 880);

  test.each(compactionLevels.map((rung) => [rung.name, rung] as const))("%s", async (name, rung) => {
    const session = await createSession("user: begin", "says: yes");
    const budget = createBudget(
      { ...compactionLimits, checkpoint: { tokens: 900, share: 1 } },
      { contextWindow: 20_000 },
    );
    await work(session, 8, 2_000);
    await compact({ session, budget, reason: "asked", runtime: testRuntime("x"), summarizers: [writerOf(summary)] });
    const { narrative: story } = readPreviousSummary(newest(session));
    expect(textTokens(story)).toBeGreaterThan(800);
    await work(session, 8, 2_000);
    const prepared = prepareCompaction(session.branch, budget, rung);
    if (prepared.type !== "planned") throw new Error(prepared.why);
    const candidate = createFallbackSummary(prepared.plan);
    const { number } = newest(session);
    if (WHOLE.includes(name)) expect(candidate.narrative).toBe(story);
    else expect(candidate.narrative).toContain(`#${number} opens`);
    expect(textTokens(candidate.narrative) + textTokens(candidate.notes)).toBeLessThanOrEqual(
      Math.max(prepared.plan.checkpoint, textTokens(story) + prepared.plan.checkpoint * 0.15),
    );
  });
});

test("CMP11 CMP12 the model sees the earlier summary, the turns since and the request once each", async () => {
  const session = await createSession(
    "user: never touch the lock file",
    `says: ${repeatWord(900)}`,
    "user: and the printer",
  );
  const budget = createBudget({ ...compactionLimits, tail: { tokens: 60, share: 1 } }, { contextWindow: 8_000 });
  const parts = {
    session,
    budget,
    reason: "asked",
    runtime: testRuntime("x"),
    summarizers: [writerOf("## Goal\n- the parser [#1]")],
  } as const;
  await compact(parts);
  await work(session, 3, 900);
  await compact(parts);
  await work(session, 3, 900);
  await compact(parts);
  const [front = ""] = contextLines(session);
  expect(front.match(/## Goal/g)).toHaveLength(1);
  expect(front.match(/an automatic list/g)).toHaveLength(1);
  expect(front).not.toContain("[x]");
  expect(front.match(/request 2: /g)?.length).toBeGreaterThan(0);
});

test("CMP12 work without text since the summary is listed after it", async () => {
  const edit = (file: number): readonly string[] => [
    `calls: edit path=src/${file}.ts oldText=a newText=b`,
    `result: ok ${repeatWord(300)}`,
  ];
  const before = ["user: Migrate the files to the new API.", "says: I begin.", ...[1, 2].flatMap(edit)];
  const after = Array.from({ length: 12 }, (_, at) => edit(at + 3)).flat();
  const session = await createSession(...before);
  const budget = createBudget({ ...compactionLimits, tail: { tokens: 120, share: 1 } }, { contextWindow: 24_000 });
  const summarizers = [writerOf("## Progress\n### In Progress\n- [ ] 2.ts")];
  const parts = { session, budget, reason: "asked", runtime: testRuntime("x"), summarizers } as const;
  await compact(parts);
  for (const { id: _id, parentId: _parent, timestamp: _time, number: _number, ...draft } of entriesOf(
    ...before,
    ...after,
  ).slice(before.length))
    await session.append(draft as never);
  await compact(parts);
  const { summary: front } = newest(session);
  expect(front).toContain("# Turns since that summary (an automatic list; no model wrote it)\nThe list is newer");
  expect(front).toMatch(/latest request, see below → I begin\. \(then 13 tool calls, the last: edit src\/13\.ts\)/);
});
