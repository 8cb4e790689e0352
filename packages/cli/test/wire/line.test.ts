/** One value, one line. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { lineOf } from "../../src/wire/line.ts";

test("JSON7 any value is one line of JSON that says the same, for readers of every kind", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const line = lineOf(value);
      expect(line.endsWith("\n")).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("JSON7 what a reader could take for the end of a line is escaped", () => {
  expect(lineOf("\u2028\u2029\u0085\u{e0041}\u202e\ud800")).toBe(
    '"\\u2028\\u2029\\u0085\\udb40\\udc41\\u202e\\ud800"\n',
  );
});
