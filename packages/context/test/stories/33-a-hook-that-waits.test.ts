/** Story 33: a compaction is due in the middle of a test run. An extension asks to wait; it may, once. */

import { expect, test } from "vitest";
import type { CompactionHooks } from "../../src/compaction-hooks/compaction-hooks.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const lines = ["user: fix the login", `says: ${repeatWord(760)}`, "user: go on"];
const waiting: CompactionHooks = { session_before_compact: [() => ({ postpone: true })] };
const roomy = smallBudget({}, 4000);

test("HOOK3 a hook can postpone a compaction once, with an entry in the log; the second time it is made", async () => {
  const session = await createSession(...lines);
  const before = contextLines(session);
  const parts = { hooks: waiting, budget: roomy, reason: "due" } as const;
  expect(await compactSmall(session, parts)).toEqual({ type: "postponed" });
  expect(contextLines(session)).toEqual(before);
  expect((await session.branchEntries()).slice(3)).toMatchObject([{ type: "custom", customType: "pith.postponed" }]);
  expect(await compactSmall(session, parts)).toMatchObject({ type: "compacted" });
});

test("HOOK3 a requested compaction and one after a refusal are not postponed", async () => {
  for (const reason of ["asked", "overflow"] as const) {
    const session = await createSession(...lines);
    expect(await compactSmall(session, { hooks: waiting, budget: roomy, reason })).toMatchObject({ type: "compacted" });
  }
});

test("HOOK3 a compaction is not postponed if the reserve is nearly full", async () => {
  const session = await createSession(...lines);
  const full = smallBudget({}, 1600);
  expect(await compactSmall(session, { hooks: waiting, budget: full, reason: "due" })).toMatchObject({
    type: "compacted",
  });
});

test("HOOK3 after a compaction the next one can be postponed again", async () => {
  const session = await createSession(...lines);
  const parts = { hooks: waiting, budget: roomy, reason: "due" } as const;
  for (const expected of ["postponed", "compacted", "postponed", "compacted"]) {
    expect(await compactSmall(session, parts)).toMatchObject({ type: expected });
    if (expected === "compacted")
      await session.append({ type: "custom_message", customType: "output", content: repeatWord(700), display: true });
  }
});
