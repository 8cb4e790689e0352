/** Proves that slots are filled once, with whatever is put into them. */

import { expect, test } from "vitest";
import { fill } from "../../src/summary/fill.ts";

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["{one} and {two}", { one: "1", two: "2" }, "1 and 2"],
  ["{one}, {one}", { one: "1" }, "1, 1"],
  ["{one} and {other}", { one: "1" }, "1 and {other}"],
  ["{one}", { one: "" }, ""],
  ["{one}", { one: "{two}", two: "2" }, "{two}"],
  ["{one}", { one: "$& $1 $$ \\" }, "$& $1 $$ \\"],
  ["{ one } {one-two} {}", { one: "1" }, "{ one } {one-two} {}"],
])("SUM6 SUM2 %s with %j", (text, slots, filled) => {
  expect(fill(text, slots)).toBe(filled);
});
