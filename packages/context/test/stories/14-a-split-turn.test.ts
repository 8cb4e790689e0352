/** Story 14: one request, work without end. The turn is cut in its middle, and the request stays in sight. */

import { expect, test } from "vitest";
import { compactSmall, seenBy, sessionOf, words } from "../compaction/small-session.ts";

const work = (from: number): string[] =>
  Array.from({ length: 8 }, (_, at) => [`calls: bash command=step${from + at}`, `result: ${words(60)}`]).flat();

test("CUT4 KEEP4 the checkpoint ends with the request, whole, and what was summarised before goes on", async () => {
  const session = await sessionOf(
    "user: hello",
    "says: hi",
    "user: rename all the things,\nand keep the tests green",
    ...work(0),
  );
  const first = await compactSmall(session);
  expect(first).toMatchObject({ type: "compacted", receipt: { kept: { count: 2 } } });
  const [front = "", call] = seenBy(session);
  expect(front.trimEnd()).toMatch(/latest request.*\(entry:e3\): rename all the things, and keep the tests green$/);
  expect(call).toContain("step7");
});

test("CUT4 KEEP4 and after a second compaction within the same turn too", async () => {
  const session = await sessionOf("user: hello", "says: hi", "user: rename all the things", ...work(0));
  await compactSmall(session);
  for (const at of [1, 2, 3, 4, 5, 6])
    await session.append({
      type: "custom_message",
      customType: "output",
      content: words(120, `n${at}`),
      display: true,
    });
  expect(await compactSmall(session)).toMatchObject({ type: "compacted" });
  const [front = ""] = seenBy(session);
  expect(front).toMatch(/latest request.*\(entry:e3\): rename all the things/);
  expect(front).toContain("hello");
});
