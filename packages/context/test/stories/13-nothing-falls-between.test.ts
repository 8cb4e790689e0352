/** Story 13: a second compaction covers what the first one kept. In pi 0.58 that part was in neither. */

import { expect, test } from "vitest";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

test("CUT5 CMP6 the second compaction begins where the kept part of the first one begins", async () => {
  const session = await createSession(
    "user: one",
    `says: ${repeatWord(700)}`,
    "user: two",
    "says: kept by the first",
    "user: three",
  );
  const first = await compactSmall(session);
  expect(first).toMatchObject({
    type: "compacted",
    receipt: { covered: { first: "e1", last: "e2" }, kept: { first: "e3" } },
  });

  await session.append({ type: "custom_message", customType: "note", content: repeatWord(700), display: true });
  await session.append({ type: "message", message: { role: "user", content: "four", timestamp: 1 } });
  const second = await compactSmall(session);
  expect(second).toMatchObject({ type: "compacted", receipt: { covered: { first: "e3" } } });
  const [front] = contextLines(session);
  for (const text of ["one", "two", "three", "kept by the first"]) expect(front).toContain(text);
});
