/** Story 18: nothing helps any more. Pith stops, says what fills the window, and goes on when there is room. */

import { expect, test } from "vitest";
import { breakerNotes, findBreaker } from "../../src/compaction/breaker.ts";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { pinText } from "../../src/summary-parts/pins.ts";
import { compactSmall, createSession, repeatWord, smallBudget, smallLimits } from "../support/small-session.ts";

test("GUARD1 a system prompt that fills the window stops compactions with a clear reason", async () => {
  const session = await createSession("user: hello", "says: hi");
  const budget = { ...smallBudget(), fixed: 1600 };
  const outcome = await compactSmall(session, { budget, reason: "due" });
  expect(outcome).toEqual({
    type: "failed",
    why: "cannot-fit",
    breaker: { fills: "fixed", tokens: 1600, limit: 1500 },
  });
  expect(breakerNotes.fixed).toContain("system prompt and the tools");
  expect(compactionDue(session.branch, budget)).toMatchObject({ type: "not-due", why: "breaker" });
});

test("GUARD1 the reason names pins that fill the window", async () => {
  const session = await createSession("user: hello", "says: hi");
  await pinText(session, repeatWord(800));
  expect(await compactSmall(session, { reason: "due" })).toMatchObject({
    why: "cannot-fit",
    breaker: { fills: "pins" },
  });
});

test("GUARD1 the breaker is an entry that is written once and applies after a restart", async () => {
  const session = await createSession("user: hello", "says: hi");
  const budget = { ...smallBudget(), fixed: 1600 };
  for (const _ of [1, 2, 3]) await compactSmall(session, { budget, reason: "due" });
  const again = await session.store.loadBranch(session.leaf);
  expect(findBreaker(again)).toEqual({ fills: "fixed", tokens: 1600, limit: 1500 });
  expect(await session.branchEntries()).toHaveLength(3);
});

test("GUARD2 the breaker closes with more room and with a compaction that helps", async () => {
  const session = await createSession("user: hello", `says: ${repeatWord(900)}`, "user: go on");
  await compactSmall(session, { budget: { ...smallBudget(), fixed: 1600 }, reason: "due" });
  const larger = createBudget({ ...smallLimits, thresholds: [{ tokens: 1700 }] }, { contextWindow: 4000, fixed: 1000 });
  expect(compactionDue(session.branch, larger)).toMatchObject({ type: "due" });
  expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
  expect(findBreaker(session.branch)).toBeNull();
});
