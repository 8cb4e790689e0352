/** Keys by name, as terminals spell them. */

import { expect, test } from "vitest";
import { keyOf } from "../../../src/screen/keys/key-of.ts";

test.each([
  ["a", "a"],
  ["ü", "ü"],
  ["\x1b", "escape"],
  ["\x03", "ctrl+c"],
  ["\x1b[A", "up"],
  ["\x1b\r", "alt+enter"],
  ["\x1b[97;1u", "a"],
  ["\x1b[97;1:3u", ""],
  ["\x1b[27;1:3u", ""],
])("TYP17 a key has one name, however a terminal spells it, and letting it go is no press: %j", (data, key) => {
  expect(keyOf(data)).toBe(key);
});
