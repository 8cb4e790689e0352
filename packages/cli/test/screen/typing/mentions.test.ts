/** Names behind an @. */

import { expect, test } from "vitest";
import { mentions } from "../../../src/screen/typing/mentions.ts";

test.each([
  ["look at @src/a.ts and @b.md", ["src/a.ts", "b.md"]],
  ['@"with blanks.md" twice @"with blanks.md"', ["with blanks.md"]],
  ["mail me@example.org", []],
  ["(@a.ts)", ["a.ts)"]],
  ["two\n@lines", ["lines"]],
  ["@", []],
])("TYP10 an @ at the beginning of a word names a file: %s", (words, paths) => {
  expect(mentions(words)).toEqual(paths);
});
