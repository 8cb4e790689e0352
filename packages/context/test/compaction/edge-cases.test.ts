/** Proves the edges: each of these once lost something, looped, or stopped a session for good. */

import { describe, expect, test } from "vitest";
import { findBreaker, isBreakerOpen } from "../../src/compaction/breaker.ts";
import { createBudget } from "../../src/compaction/budget.ts";
import type { Summarizer } from "../../src/compaction/plan.ts";
import { calculateAllowance, recentCallCosts } from "../../src/compaction/receipt.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { redoCompaction, undoCompaction } from "../../src/compaction/undo.ts";
import { compact } from "../../src/default-compaction.ts";
import { type CompactionEntry, MOVE_TYPE } from "../../src/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { compactionLimits } from "../../src/settings.ts";
import { pinEntry, pinText, unpin } from "../../src/summary-parts/pins.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const print = (session: Session, text: string) =>
  session.append({ type: "custom_message", customType: "output", content: text, display: true });
/** The newest summary message, as the log has it. */
const newestSummary = ({ branch: { entries, compactionIndex: compactionAt } }: Session): string =>
  (entries[compactionAt] as CompactionEntry).summary;
const usage = { ...emptyUsage, totalTokens: 10, input: 10, cost: { ...emptyUsage.cost, total: 1 } };
const failing: Summarizer = {
  name: "failing",
  isPaid: true,
  summarize: () => ({ type: "failed", why: "busy", calls: [{ usage }] }),
};
const full = ["user: one", `says: ${repeatWord(900)}`, "user: two"];

describe("the breaker", () => {
  test("GUARD1 does not open for good if a provider refuses a context that fits", async () => {
    const session = await createSession("user: hello", "says: hi", "user: go on");
    expect(await compactSmall(session, { reason: "overflow", attempt: 4 })).toMatchObject({ why: "cannot-fit" });
    expect(findBreaker(session.branch)).toBeNull();
    await print(session, repeatWord(900));
    expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "due" });
  });

  test("GUARD2 closes when the pins that filled the window are removed", async () => {
    const session = await createSession("user: hello", `says: ${repeatWord(400)}`);
    await pinText(session, repeatWord(800));
    expect(await compactSmall(session, { reason: "due" })).toMatchObject({ breaker: { fills: "pins" } });
    expect(compactionDue(session.branch, smallBudget())).toMatchObject({ why: "breaker" });
    await unpin(session, session.branch.state.pins[0]?.id ?? "");
    expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "due" });
    expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
  });

  test("GUARD2 that opened because work filled the context again closes with a user message or a larger limit, not with more work", async () => {
    const session = await createSession(...full);
    const { limit } = smallBudget();
    const data = { fills: "refill", tokens: 900, limit };
    await session.append({ type: "custom", customType: "pith.breaker", data });
    await print(session, repeatWord(900));
    const isDue = (budget = smallBudget()) => compactionDue(session.branch, budget);
    expect(isDue()).toMatchObject({ why: "breaker" });
    expect(isBreakerOpen(session.branch, { ...smallBudget(), limit: limit + 1 })).toBe(false);
    expect(isBreakerOpen(session.branch, smallBudget())).toBe(true);
    await session.append({ type: "message", message: { role: "user", content: "go on", timestamp: 1 } });
    expect(isDue()).toMatchObject({ type: "due" });
  });

  test("GUARD1 opens if the provider reports a far larger prompt than estimated", async () => {
    const session = await createSession("user: begin");
    const budget = createBudget(compactionLimits, { contextWindow: 8_000, fixed: 100 });
    let compactions = 0;
    for (let step = 0; step < 20; step++) {
      await session.append({
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "text", text: repeatWord(20) }],
          api: "a",
          provider: "p",
          model: "m",
          usage: { ...emptyUsage, input: 12, totalTokens: 6_500, output: 40 },
          stopReason: "stop",
          timestamp: 1,
        },
      });
      if (compactionDue(session.branch, budget).type !== "due") continue;
      const outcome = await compact({ session, budget, reason: "due", runtime: testRuntime(`s${step}-`) });
      if (outcome.type === "compacted") compactions++;
    }
    expect(compactions).toBeLessThanOrEqual(2);
    expect(findBreaker(session.branch)).toMatchObject({ fills: "fixed" });
  });
});

describe("the hourly limit of summaries", () => {
  test("GUARD3 INV48 counts failed calls across compactions", async () => {
    const session = await createSession("user: begin");
    const budget = smallBudget({ hourly: { cost: 100, calls: 3 } });
    let callCount = 0;
    const counting: Summarizer = {
      ...failing,
      summarize: (plan, act) => {
        callCount++;
        return failing.summarize(plan, act);
      },
    };
    for (let round = 0; round < 6; round++) {
      await print(session, repeatWord(900, `r${round}x`));
      expect(await compactSmall(session, { budget, summarizers: [counting] })).toMatchObject({ type: "compacted" });
    }
    expect(callCount).toBe(3);
  });

  test("GUARD3 counts a call for one hour", async () => {
    const session = await createSession(...full);
    expect(await compactSmall(session, { summarizers: [failing] })).toMatchObject({ receipt: { calls: 1, cost: 1 } });
    const [call] = recentCallCosts(session.branch, Date.parse("2026-01-01"));
    const at = Date.parse(call?.at ?? "");
    const left = (now: number) => calculateAllowance(session.branch, { calls: 3, cost: 10 }, { now });
    for (const minutes of [-59, 0, 59]) expect(left(at + minutes * 60_000)).toEqual({ calls: 2, cost: 9 });
    for (const minutes of [-60, 60, 61]) expect(left(at + minutes * 60_000)).toEqual({ calls: 3, cost: 10 });
  });

  test("GUARD3 CMP3 counts calls of cancelled compactions, moved leaves and undone compactions", async () => {
    const spent = (session: Session): number => recentCallCosts(session.branch, Date.parse("2026-01-01")).length;
    const cancelled = await createSession(...full);
    const stops: Summarizer = { name: "stops", isPaid: false, summarize: () => ({ type: "cancelled" }) };
    expect(await compactSmall(cancelled, { summarizers: [failing, stops] })).toEqual({ type: "cancelled" });
    expect(spent(cancelled)).toBe(1);

    const moved = await createSession(...full);
    const leaves: Summarizer = {
      name: "leaves",
      isPaid: true,
      summarize: async ({ covered }) => {
        await moved.move(null);
        const covers = new Set(covered.map(({ id }) => id));
        return {
          type: "written",
          candidate: { route: "leaves", narrative: "a story", notes: "", covers, calls: [{ usage }] },
        };
      },
    };
    expect(await compactSmall(moved, { summarizers: [leaves] })).toMatchObject({ why: "leaf-moved" });
    expect(spent(moved)).toBe(1);

    const undone = await createSession(...full);
    const outcome = await compactSmall(undone, { summarizers: [failing] });
    expect(outcome).toMatchObject({ receipt: { calls: 1, cost: 1 } });
    await undoCompaction(undone);
    expect(spent(undone)).toBe(1);
  });
});

describe("undo and redo", () => {
  test("UNDO1 undo moves to the leaf in the receipt, even with failed attempts before the compaction", async () => {
    const session = await createSession(...full);
    const outcome = await compactSmall(session, { summarizers: [failing] });
    expect(outcome).toMatchObject({ receipt: { undoTo: "e3" } });
    await undoCompaction(session);
    expect(session.branch.entries.at(-1)?.parentId).toBe("e3");
  });

  test("UNDO1 a compaction made after an undo is not skipped by redo", async () => {
    const session = await createSession(...full);
    await compactSmall(session);
    await undoCompaction(session);
    await print(session, repeatWord(900, "new"));
    await compactSmall(session);
    expect(await redoCompaction(session)).toEqual({ type: "nothing-to-do", why: "no-undo" });
  });

  test("UNDO1 UNDO2 a compaction after an undo ends it: there is nothing to redo, and the threshold applies", async () => {
    const session = await createSession(...full);
    // A growth of a whole window after the undo, so that only the compaction ends it.
    const budget = smallBudget({ quietAfterUndo: 1 });
    await compactSmall(session);
    await undoCompaction(session);
    expect(compactionDue(session.branch, budget)).toMatchObject({ type: "not-due", why: "undone" });
    const undone = session.leaf;
    expect(await compactSmall(session)).toMatchObject({ type: "compacted", receipt: { kept: { last: undone } } });
    expect(await redoCompaction(session)).toEqual({ type: "nothing-to-do", why: "no-undo" });
    await print(session, repeatWord(750, "new"));
    expect(compactionDue(session.branch, budget)).toMatchObject({ type: "due" });
  });

  test.each([
    ["an undo", undoCompaction],
    ["a redo", redoCompaction],
  ])("UNDO1 %s is refused if a message arrives meanwhile, and the message stays in the context", async (_, change) => {
    const session = await createSession(...full);
    await compactSmall(session);
    if (change === redoCompaction) await undoCompaction(session);
    const changing = change(session);
    expect(await print(session, "a new result")).toMatchObject({ type: "appended", leaf: session.leaf });
    expect(await changing).toEqual({ type: "failed", appended: { type: "leaf-moved", leaf: session.leaf } });
    expect(contextLines(session).at(-1)).toContain("a new result");
  });

  test("UNDO1 if a line of the file is lost, undo moves to the parent of the compaction, and redo is not possible", async () => {
    const session = await createSession(...full);
    const compaction = { type: "compaction", summary: "a story", firstKeptEntryId: "e3", tokensBefore: 900 } as const;
    const receipt = { route: "model", withoutProgress: 0, tokens: { after: 100 }, undoTo: "lost" };
    await session.append({ ...compaction, id: "c1", details: { pith: { receipt } } });
    expect(await undoCompaction(session)).toMatchObject({ type: "undone", entryId: "c1" });
    expect(session.branch.entries.at(-1)?.parentId).toBe("e3");
    await session.append({ type: "custom", customType: MOVE_TYPE, data: { undoes: "c1", from: "lost" } });
    expect(await redoCompaction(session)).toEqual({ type: "nothing-to-do", why: "no-undo" });
  });
});

describe("kept content", () => {
  test("KEEP4 INV21 a long carried request is shortened for a smaller window", async () => {
    const work = Array.from({ length: 6 }, (_, at) => [
      `calls: bash command=s${at}`,
      `result: ${repeatWord(4000, `o${at}x`)}`,
    ]);
    const session = await createSession("user: hello", "says: hi", `user: ${repeatWord(6000, "ask")}`, ...work.flat());
    const ports = testRuntime("m");
    const large = createBudget(compactionLimits, { contextWindow: 60_000 });
    expect(await compact({ session, budget: large, reason: "due", runtime: ports })).toMatchObject({
      type: "compacted",
    });
    const small = createBudget(compactionLimits, { contextWindow: 8_000 });
    expect(await compact({ session, budget: small, reason: "model-switch", runtime: ports })).toMatchObject({
      type: "compacted",
    });
    expect(contextLines(session)[0]).toMatch(/latest request.* \[#3\] ask0 ask1 .*#3 opens all of it/);
  });

  test("KEEP2 KEEP4 KEEP6 a request joins the other user messages when a newer one replaces it, and each appears once", async () => {
    const session = await createSession("user: use tabs in every file of this project, please", "says: fine");
    const ask = async (content: string, question = ""): Promise<string> => {
      await session.append({ type: "message", message: { role: "user", content, timestamp: 1 } });
      return `[#${session.branch.entries.at(-1)?.number}]${question}\n${content}`;
    };
    const workAndCompact = async (word: string): Promise<string> => {
      await print(session, repeatWord(500, word));
      await print(session, repeatWord(500, `${word}more`));
      expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
      return newestSummary(session);
    };
    const rename = await ask("rename the parser in all of its files", " (in reply to the assistant: fine)");
    const first = await workAndCompact("a");
    const write = await ask("now write the documentation of all of it");
    const second = await workAndCompact("b");
    const third = await workAndCompact("c");

    const messages = (front: string): string => front.slice(0, front.indexOf("# Turns so far"));
    const rule = "# User messages, word for word\n\n[#1]\nuse tabs in every file of this project, please\n\n";
    expect(messages(first)).toBe(rule);
    expect(messages(second)).toBe(`${rule}${rename}\n\n`);
    expect(messages(third)).toBe(messages(second));

    const latest = "\n\n# The user's latest request, still open unless the messages below say otherwise ";
    expect([first, second, third].map((front) => front.split(latest).slice(1))).toEqual([[rename], [write], [write]]);
  });

  test("KEEP4 a request in the kept part appears only there, and one at the end joins the user messages", async () => {
    const session = await createSession("user: rename the parser in all of its files", `says: ${repeatWord(900)}`);
    expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
    expect(newestSummary(session)).toMatch(/ \[#1\]\nrename the parser in all of its files$/);
    await print(session, repeatWord(900, "more"));
    await session.append({ type: "message", message: { role: "user", content: "now the docs", timestamp: 1 } });
    expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
    expect(newestSummary(session)).toMatch(/^# User messages, word for word\n\n\[#1\]\nrename the parser in all/);
    expect(newestSummary(session)).not.toMatch(/latest request, still open|now the docs/);
    expect(contextLines(session).at(-1)).toMatch(/^\d user {6}now the docs$/);
  });

  test("CUT1 CUT7 one huge result near the end does not empty the tail", async () => {
    const before = Array.from({ length: 20 }, (_, at) => [
      `calls: bash command=s${at}`,
      `result: ${repeatWord(800, `o${at}x`)}`,
    ]);
    const session = await createSession(
      "user: go",
      ...before.flat(),
      "calls: bash command=log",
      `result: ${repeatWord(60_000)}`,
      "says: I see",
      "user: fix it",
    );
    const budget = createBudget(compactionLimits, { contextWindow: 200_000 });
    const outcome = await compact({ session, budget, reason: "overflow", runtime: testRuntime("m") });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { rung: "whole" } });
    if (outcome.type === "compacted") expect(outcome.receipt.kept.count).toBeGreaterThan(10);
    expect(contextLines(session).join("\n")).toMatch(/word0 word1 .*opens all of it/);
  });

  test("CUT7 if reducing the large entries is enough, hardly anything is summarized", async () => {
    const session = await createSession(
      "user: one",
      "says: two",
      "user: three",
      "says: four",
      `user: ${repeatWord(3000)}`,
      "user: go on",
    );
    const budget = smallBudget({ tail: { tokens: 400, share: 1 } });
    const outcome = await compactSmall(session, { budget, reason: "due" });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { rung: "whole", covered: { count: 1 } } });
    expect(contextLines(session).slice(1, 4).join()).toMatch(/two.*three.*four/);
  });

  test("KEEP1 pins come first, below their own heading and with numbers", async () => {
    const session = await createSession("user: use tabs in every file", `says: ${repeatWord(900)}`, "user: go on");
    await pinText(session, "never push to main");
    await pinEntry(session, "e1");
    expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
    expect(newestSummary(session)).toMatch(
      /^# Pinned by the user \(always applies\)\n\n\[#4\]\nnever push to main\n\n\[#1\]\nuse tabs in every file\n\n# /,
    );
  });

  test("KEEP1 a pin removed by an edit does not return", async () => {
    const session = await createSession("user: hello", `says: ${repeatWord(900)}`);
    await pinText(session, "SECRET");
    await session.append({ type: "context_edit", targetId: session.leaf ?? "", replacement: null });
    await session.append({ type: "message", message: { role: "user", content: "go on", timestamp: 1 } });
    expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
    expect(contextLines(session).join("\n")).not.toContain("SECRET");
  });

  test("KEEP1 INV50 a pin that is shortened in the tail stays whole at the front", async () => {
    const session = await createSession("user: hello", `says: ${repeatWord(400)}`);
    const rule = repeatWord(120, "rule");
    await pinText(session, rule);
    expect(await compactSmall(session, { reason: "overflow" })).toMatchObject({ type: "compacted" });
    expect(contextLines(session)[0]).toContain(rule);
    expect(session.branch.state.pins.map(({ text }) => text)).toEqual([rule]);
  });

  test("KEEP2 a user message that fits its budget stays whole, also in a small window", async () => {
    const rule = repeatWord(70, "rule");
    const session = await createSession(`user: ${rule}`, `says: ${repeatWord(900)}`, "user: go on");
    await compactSmall(session);
    expect(contextLines(session)[0]).toContain(rule);
  });
});

test("DUE2 DUE3 invalid limits neither hang nor stop a compaction", async () => {
  const odd = {
    ...compactionLimits,
    largestReserve: 1,
    thresholds: [{ reserve: { tokens: 1e9 } }, { percent: Number.NaN }],
  };
  const budget = createBudget(odd, { contextWindow: 8_000 });
  for (const value of Object.values(budget)) if (typeof value === "number") expect(Number.isNaN(value)).toBe(false);
  const session = await createSession("user: hello", `says: ${repeatWord(6000)}`, "user: go on");
  const outcome = await compact({ session, budget, reason: "due", runtime: testRuntime("m") });
  expect(["compacted", "failed"]).toContain(outcome.type);
});
