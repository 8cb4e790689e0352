/** Story 3: a second compaction starts where the first one began to keep, so that nothing falls between the two. */

import { expect, test } from "vitest";
import { contextLines } from "../support/story-context.ts";

test("CTX2 the context has only the newest summary, even if the kept part has an older compaction", () => {
  expect(
    contextLines(
      "user: one",
      "says: two",
      "user: three",
      "says: four",
      "compacts: one and two, keeps e3",
      "user: five",
      "says: six",
      "compacts: one to three, keeps e4",
      "user: seven",
    ),
  ).toEqual([
    "0 summary   one to three",
    "1 assistant four",
    "2 user      five",
    "3 assistant six",
    "4 user      seven",
  ]);
});
