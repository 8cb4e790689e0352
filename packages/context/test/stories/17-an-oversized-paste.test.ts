/** Story 17: somebody pastes a whole log file. It is shown as head and tail; the log has all of it. */

import { expect, test } from "vitest";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

test("CUT7 CMP1 a paste too large for the tail is reduced to its head, tail and reference, in the same batch", async () => {
  const session = await createSession(
    "user: hello",
    "says: hi",
    `user: what is wrong here?\n${repeatWord(3000)}\nthe end`,
  );
  const outcome = await compactSmall(session, { reason: "due" });
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: {
      kept: { first: "e2", last: "e3" },
      findings: [{ code: "result-reduced", note: "#3 is shortened to its beginning and end" }],
    },
  });
  const paste = contextLines(session).at(-1) ?? "";
  expect(paste).toMatch(/user +what is wrong here\?.*#3 opens all of it.*the end$/);
  expect(paste.length).toBeLessThan(400);
  expect(JSON.stringify(await session.store.entry("e3"))).toContain("word2999");
});

test("CUT7 the result of the last call is reduced too, and stays with its call", async () => {
  const session = await createSession(
    "user: hello",
    "calls: bash command=make",
    `result: ${repeatWord(3000)} and exit code 2`,
  );
  expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
  const [front, call, result] = contextLines(session);
  expect(front).toContain("hello");
  expect(call).toContain("[c1: bash command=make]");
  expect(result).toMatch(/c1 -> word0 .* #3 opens all of it .* and exit code 2$/);
});
