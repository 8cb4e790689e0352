/** A paste where one line is typed. */

import { expect, test } from "vitest";
import { pastedLine } from "../../../src/screen/keys/pasted-line.ts";
import { lineOf, typedInto } from "../../../src/screen/widgets/line-input.ts";

test.each([
  ["\x1b[200~two\nlines \x1b[31mred\x1b[0m\x1b[201~", "two lines red"],
  ["\x1b[200~y\x1b[201~", "y"],
  ["y", null],
  ["\x1b[A", null],
])("TYP8 what is pasted into a search or another single line is one harmless line: %j", (key, line) => {
  expect(pastedLine(key)).toBe(line);
});

test("TYP8 a paste stands where the cursor is", () => {
  expect(typedInto({ text: "ab", cursor: 1 }, "\x1b[200~x y\x1b[201~")).toEqual({ text: "ax yb", cursor: 4 });
  expect(typedInto(lineOf("a"), "up")).toBeNull();
});
