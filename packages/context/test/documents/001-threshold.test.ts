/** Documents 000 and 001, when it happens: the threshold, what is kept, overflow upon overflow; 002's numbers are settled by B24, its file by B23. */

import { expect, test } from "vitest";
import { type Budget, createBudget } from "../../src/compaction/budget.ts";
import { compactionDue, shouldCompact } from "../../src/compaction/should-compact.ts";
import { calculateContextTokens } from "../../src/context/context-size.ts";
import { compactionLimits } from "../../src/settings.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { compactSmall, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const of = (tokens: number) => ({ tokens, isEstimate: false, measured: tokens, estimated: 0, fixed: 0, bytes: 0 });
const large: Budget = createBudget(compactionLimits, { contextWindow: 200_000 });

test("DUE1 B13 a compaction is due above the window minus the reserve of 16,384, so above 183,616 of 200,000", () => {
  expect(compactionLimits.thresholds).toEqual([{ reserve: { tokens: 16_384 } }]);
  expect(shouldCompact(of(183_616), large)).toBeNull();
  expect(shouldCompact(of(183_617), large)).toBe("tokens");
});

test("DUE3 B13 in a small window the reserve is a quarter of it", () => {
  expect(createBudget(compactionLimits, { contextWindow: 16_384 }).limit).toBe(12_288);
});

test("DUE3 B24 20,000 recent tokens are kept, and a fifth of a small window", () => {
  expect(large.tail).toBe(20_000);
  expect(createBudget(compactionLimits, { contextWindow: 32_000 }).tail).toBe(6_400);
});

test("TOK1 B9 the size is that of the last reply: its total, or the sum of its parts", () => {
  const parts = { ...emptyUsage, input: 10, output: 20, cacheRead: 300, cacheWrite: 4000 };
  expect(calculateContextTokens({ ...parts, totalTokens: 5000 })).toBe(5000);
  expect(calculateContextTokens(parts)).toBe(4330);
});

test("DUE4 B22 with compaction off, nothing compacts automatically, and a compaction by command works", async () => {
  const session = await createSession("user: one", `says: ${repeatWord(900)}`, "user: two");
  const off = smallBudget({ enabled: false });
  expect(compactionDue(session.branch, off)).toMatchObject({ type: "not-due", why: "off" });
  for (const reason of ["due", "overflow", "model-switch"] as const)
    expect(await compactSmall(session, { budget: off, reason })).toEqual({ type: "nothing-to-do", why: "off" });
  expect(await compactSmall(session, { budget: off, reason: "asked" })).toMatchObject({ type: "compacted" });
});

test("CMP4 B16 after a second overflow the compaction is repeated with less kept, up to the fourth time", async () => {
  const turns = Array.from({ length: 12 }, (_, at) => [`user: request ${at}`, `says: ${repeatWord(40)}`]).flat();
  const session = await createSession(...turns);
  const budget = smallBudget({ tail: { tokens: 500, share: 1 } });
  const first = await compactSmall(session, { budget, reason: "overflow", attempt: 0 });
  const second = await compactSmall(session, { budget, reason: "overflow", attempt: 1 });
  const sizes = [first, second].map((outcome) => (outcome.type === "compacted" ? outcome.receipt.tokens.after : 0));
  expect(sizes[1]).toBeGreaterThan(0);
  expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
  expect(await compactSmall(session, { budget, reason: "overflow", attempt: 4 })).toMatchObject({ why: "cannot-fit" });
});

test("CUT3 B35 a session that is short or was just compacted has nothing to compact", async () => {
  const session = await createSession("user: one", `says: ${repeatWord(900)}`, "user: two");
  await compactSmall(session);
  expect(await compactSmall(session)).toEqual({ type: "nothing-to-do", why: "already-compacted" });
  expect(await compactSmall(await createSession("user: one", "says: two"))).toEqual({
    type: "nothing-to-do",
    why: "too-short",
  });
});

test("TOK2 B17 B18 usage of another model or from before a compaction is ignored", async () => {
  const session = await createSession("user: one", `says: ${repeatWord(900)}`, "user: two");
  const usage = { ...emptyUsage, totalTokens: 2_500 };
  const [, reply] = await session.branchEntries();
  if (reply?.type !== "message" || reply.message.role !== "assistant") throw new Error("e2 is the reply");
  await session.append({ type: "message", message: { ...reply.message, usage } });
  expect(compactionDue(session.branch, smallBudget()).size.measured).toBe(2_500);
  const other = createBudget(compactionLimits, {
    contextWindow: 2000,
    model: { api: "a", provider: "p", model: "other" },
  });
  expect(compactionDue(session.branch, other).size.measured).toBe(0);
  expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
  expect(compactionDue(session.branch, smallBudget()).size.measured).toBe(0);
});
