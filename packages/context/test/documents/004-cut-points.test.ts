/** Document 004, "Cut Point Rules": any message but a tool's result may be the first that is kept; 002 and 003 allow fewer (B27). */

import { expect, test } from "vitest";
import { budgetKeeping, compactSmall, createSession, repeatWord } from "../support/small-session.ts";

const before = ["user: one", `says: ${repeatWord(300)}`, "user: two"];

test.each([
  ["a user message", ["says: three", "user: four"], 1, "e5", false],
  ["an assistant message", ["says: three"], 1, "e4", true],
  ["an assistant message that calls, with its results", ["calls: read path=a.ts", "result: text"], 2, "e4", true],
  ["a shell line of the user", ["says: three", "bash: ls -> a.ts"], 1, "e5", false],
  ["a program's message", ["says: three", "note: it rains"], 1, "e5", false],
  ["the summary of a left branch", ["says: three", "left e2: it was tried"], 1, "e5", false],
] as const)("CUT2 CUT4 B27 B33 the kept part begins with %s", async (_, lines, messages, first, isSplitTurn) => {
  const session = await createSession(...before, ...lines);
  const splitFlags: boolean[] = [];
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, messages),
    hooks: { session_before_compact: [({ preparation }) => void splitFlags.push(preparation.isSplitTurn)] },
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { kept: { first } } });
  expect(splitFlags).toEqual([isSplitTurn]);
});

test("CUT6 B31 entries without text before the first kept message are kept with it", async () => {
  const session = await createSession(...before, "says: three", "model: other/one", "labels e1: begin", "user: four");
  const outcome = await compactSmall(session, { budget: budgetKeeping(session, 1) });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { kept: { first: "e5", count: 3 } } });
});
