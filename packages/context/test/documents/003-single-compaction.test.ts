/** Document 003, "Single Compaction": the last four messages are kept. They are named by the first of them, not counted (B53). */

import { expect, test } from "vitest";
import { appendDrawing, drawContext, drawSession } from "../support/document-sessions.ts";
import { budgetKeeping, compactSmall } from "../support/small-session.ts";

const outline = "u1 a1 t1 t1 a1 u2 a2 u3 a3 t3 a3 t3 a3 u4 a4 t4 a4";

test("CTX2 B58 the context has the summary, the last four messages, and what comes after them", async () => {
  const session = await drawSession(outline);
  expect(drawContext(session)).toBe(outline);

  const outcome = await compactSmall(session, { budget: budgetKeeping(session, 4) });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { covered: { first: "u1" }, kept: { first: "u4" } } });
  expect(drawContext(session)).toBe("[summary] u4 a4 t4 a4");

  await appendDrawing(session, "u5 a5");
  expect(drawContext(session)).toBe("[summary] u4 a4 t4 a4 u5 a5");
});

test("LOG1 CMP1 the file has one more line, and the others are unchanged", async () => {
  const session = await drawSession(outline);
  const before = await session.branchEntries();
  await compactSmall(session, { budget: budgetKeeping(session, 4) });
  const [compaction, ...more] = (await session.branchEntries()).slice(before.length);
  expect((await session.branchEntries()).slice(0, before.length)).toEqual(before);
  expect(compaction).toMatchObject({ type: "compaction", firstKeptEntryId: "u4", parentId: before.at(-1)?.id });
  expect(more).toEqual([]);
});
