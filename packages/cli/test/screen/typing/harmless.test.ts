/** Words from elsewhere. */

import { expect, test } from "vitest";
import { harmless } from "../../../src/screen/typing/harmless.ts";

test.each([
  ["\x1b[31mred\x1b[0m words", "red words"],
  ["\x1b]0;title\x07left", "left"],
  ["a\x9b31mb", "ab"],
  ["a\r\nb\rc\td", "a\nb\nc\td"],
  ["a\u202eb\u200bc\ufeff\u00add", "abcd"],
  ["tag\u{e0041}s", "tags"],
  ["half \ud800 letter", "half  letter"],
  ["👩‍👩‍👧 stays", "👩‍👩‍👧 stays"],
])("TYP8 nothing in pasted words steers a terminal or hides: %j", (text, words) => {
  expect(harmless(text)).toBe(words);
});
