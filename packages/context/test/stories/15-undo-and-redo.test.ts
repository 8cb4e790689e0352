/** Story 15: the user takes a compaction back, and changes their mind. */

import { expect, test } from "vitest";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { redoCompaction, undoCompaction } from "../../src/compaction/undo.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const lines = ["user: one", `says: ${repeatWord(900)}`, "user: two"];

test("UNDO1 undo restores the context from before the compaction, redo the one after it", async () => {
  const session = await createSession(...lines);
  const before = contextLines(session);
  const outcome = await compactSmall(session);
  const after = contextLines(session);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { undoTo: "e3" } });

  expect(await undoCompaction(session)).toMatchObject({ type: "undone" });
  expect(contextLines(session)).toEqual(before);
  expect(await redoCompaction(session)).toMatchObject({ type: "redone" });
  expect(contextLines(session)).toEqual(after);
});

test("UNDO2 after an undo no compaction is due until the context has grown by a tenth of the window", async () => {
  const session = await createSession(...lines);
  await compactSmall(session);
  await undoCompaction(session);
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "not-due", why: "undone" });
  await session.append({ type: "message", message: { role: "user", content: repeatWord(30), timestamp: 1 } });
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "not-due", why: "undone" });
  await session.append({ type: "message", message: { role: "user", content: repeatWord(120), timestamp: 1 } });
  expect(compactionDue(session.branch, smallBudget())).toMatchObject({ type: "due" });
});

test("UNDO1 messages after the compaction stay on their own branch when it is undone", async () => {
  const session = await createSession(...lines);
  await compactSmall(session);
  await session.append({ type: "message", message: { role: "user", content: "three", timestamp: 1 } });
  await undoCompaction(session);
  expect(contextLines(session).join()).not.toContain("three");
  await redoCompaction(session);
  expect(contextLines(session).at(-1)).toContain("three");
});

test("UNDO1 without a compaction there is nothing to undo, and without an undo nothing to redo", async () => {
  const session = await createSession(...lines);
  expect(await undoCompaction(session)).toEqual({ type: "nothing-to-do", why: "no-compaction" });
  expect(await redoCompaction(session)).toEqual({ type: "nothing-to-do", why: "no-undo" });
});
