/** Story 14: one request, work without end. The turn is cut in its middle, and the request stays in sight. */

import { expect, test } from "vitest";
import type { Session } from "../../src/session/session.ts";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const work = (from: number): string[] =>
  Array.from({ length: 8 }, (_, at) => [`calls: bash command=step${from + at}`, `result: ${repeatWord(60)}`]).flat();

test("CUT4 KEEP4 the summary message ends with the whole request, and the earlier summary is carried over", async () => {
  const session = await createSession(
    "user: hello",
    "says: hi",
    "user: rename all the things,\nand keep the tests green",
    ...work(0),
  );
  const first = await compactSmall(session);
  expect(first).toMatchObject({ type: "compacted", receipt: { kept: { count: 2 } } });
  const [front = "", call] = contextLines(session);
  expect(front.trimEnd()).toMatch(
    /# The user's latest request,[^#]*\[#3\] rename all the things, and keep the tests green$/,
  );
  expect(call).toContain("step7");
});

async function fill(session: Session, ...rounds: readonly number[]): Promise<void> {
  for (const at of rounds)
    await session.append({
      type: "custom_message",
      customType: "output",
      content: repeatWord(120, `n${at}`),
      display: true,
    });
}

test("CUT4 KEEP4 after a second compaction within the turn, the request and the question that it answers are still there", async () => {
  const session = await createSession("user: hello", "says: hi", "user: rename all the things", ...work(0));
  await compactSmall(session);
  await fill(session, 1, 2, 3, 4, 5, 6);
  expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
  const [front = ""] = contextLines(session);
  expect(front).toMatch(
    /# The user's latest request,[^#]*\[#3\] \(in reply to the assistant: hi\) rename all the things$/,
  );
  expect(front).toContain("[#1] hello");
  expect(front.match(/\[#3\]/g)).toHaveLength(1);
});

test("KEEP2 KEEP4 when a newer request replaces it, the request joins the other user messages", async () => {
  const session = await createSession("user: hello", "says: hi", "user: rename all the things", ...work(0));
  await compactSmall(session);
  await session.append({
    type: "message",
    message: { role: "user", content: "now write the release notes for all that was renamed today", timestamp: 1 },
  });
  await fill(session, 1, 2, 3, 4, 5, 6);
  expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
  const [front = ""] = contextLines(session);
  expect(front).toContain("[#1] hello [#3] (in reply to the assistant: hi) rename all the things # Turns so far");
  expect(front).toMatch(/# The user's latest request,[^#]*\[#\d+\] now write the release notes for all[^#]* today$/);
});
