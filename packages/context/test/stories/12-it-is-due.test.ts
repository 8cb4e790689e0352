/** Story 12: the context fills up. One number decides, and nothing happens before it does. */

import { expect, test } from "vitest";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { compactSmall, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

test("DUE1 CMP2 above the threshold a compaction is due, and after it none is", async () => {
  const session = await createSession("user: fix the login", `says: ${repeatWord(200)}`, "user: go on");
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "not-due", why: "fits" });
  await session.append({ type: "custom_message", customType: "note", content: repeatWord(600), display: true });
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "due", why: "tokens" });
  expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "not-due", why: "fits" });
});

test("DUE4 with compaction off none is due, and a requested compaction still works", async () => {
  const off = smallBudget({ enabled: false });
  const session = await createSession("user: fix the login", `says: ${repeatWord(900)}`, "user: go on");
  expect(compactionDue(session.branch, off)).toMatchObject({ type: "not-due", why: "off" });
  for (const reason of ["due", "overflow", "model-switch"] as const)
    expect(await compactSmall(session, { budget: off, reason })).toEqual({ type: "nothing-to-do", why: "off" });
  expect(await compactSmall(session, { budget: off })).toMatchObject({ type: "compacted" });
});
