/** JSON with comments: it reads what JSON is as JSON does, says where anything else breaks, and no text makes it slow or lets it through. */

import { jsonValue, property, assert as propertyHolds, string } from "fast-check";
import { expect, test } from "vitest";
import { expectLinearTime } from "../../../context/test/support/expect-speed.ts";
import { parseJsonc } from "../../src/text/jsonc.ts";

test("SET5 any JSON parses to the same value as with JSON.parse, also with comments and trailing commas", () => {
  propertyHolds(
    property(jsonValue(), (inner) => {
      const value: unknown = JSON.parse(JSON.stringify({ inner }));
      const plain = JSON.stringify(value, null, 1);
      expect(valueIn(plain)).toEqual(value);
      expect(valueIn(commented(plain))).toEqual(value);
    }),
  );
});

test.each([
  ["", 1, 1, "unexpected end of the file; a bracket or a value is missing"],
  ["// nothing", 1, 11, "unexpected end of the file; a bracket or a value is missing"],
  ['{ "a": 1', 1, 9, "unexpected end of the file; } is missing"],
  ['{\n  "a": [1, 2\n', 3, 1, "unexpected end of the file; ] is missing"],
  ['{\n  model: "x" }', 2, 3, 'the name model has no quotes: write { "name": value }'],
  ["{ 'a': 1 }", 1, 3, 'strings need double quotes: "…"'],
  ['{ "a" 1 }', 1, 7, 'a colon is missing after "a"'],
  ['{ "a": 1\n  "b": 2 }', 2, 3, "a comma or } is missing before this"],
  ['{ "a": 1,, }', 1, 10, 'a name in double quotes is missing: write { "name": value }'],
  ['{ "a": }', 1, 8, "a value is missing before }"],
  ['{ "a": on }', 1, 8, "on is not a value; strings need double quotes"],
  ['{ "a": 01 }', 1, 8, "01 is not a value; strings need double quotes"],
  ['{ "a": 12k }', 1, 8, "12k is not a value; strings need double quotes"],
  ['{ "a": "x }\n', 1, 8, 'unterminated string; add " at its end'],
  ['{ "a": "tab\there" }', 1, 8, "this string contains a character that must be escaped, such as a tab or a single \\"],
  ['{ "a": "C:\\dev" }', 1, 8, "this string contains a character that must be escaped, such as a tab or a single \\"],
  ['{ /* a\n "a": 1 }', 1, 3, "unterminated comment; add */ at its end"],
  ['{ "a": 1, "a": 2 }', 1, 11, 'duplicate name "a"; keep one of them'],
  ['{ "a": 1 } }', 1, 12, "unexpected text after the closing bracket; remove it"],
  ['{ "a": @ }', 1, 8, 'unexpected character "@"'],
  ['"text"', 1, 1, "the file must contain one object: { … }"],
  ["\ufeffnull", 1, 1, "the file must contain one object: { … }"],
])("SET5 invalid JSON is reported with line and column: %j", (text, line, column, why) => {
  expect(parseJsonc(text)).toEqual({ type: "invalid", line, column, message: why });
});

test("SET5 findLine returns the line of every setting", () => {
  const read = parseJsonc('{\n "a": {\n  // here\n  "b": 1 },\n "c": [\n 1]\n}');
  const lines = [["a"], ["a", "b"], ["c"], ["a", "z"]].map((path) => read.type === "object" && read.findLine(path));
  expect(lines).toEqual([2, 4, 5, 2]);
});

test("SET5 __proto__ and constructor are ordinary names", () => {
  const value = valueIn('{ "__proto__": { "sandbox": "off" }, "constructor": 1 }') as object;
  expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
  expect("sandbox" in value).toBe(false);
});

test("SET5 hostile text is parsed in linear time", () => {
  const bodies: readonly ((size: number) => string)[] = [
    (size) => `{ "a": "${"\\".repeat(size)}`,
    (size) => "/*".repeat(size / 2),
    (size) => "//\n".repeat(size / 3),
    (size) => "{".repeat(size),
    (size) => `{ "a": ${"[".repeat(size)}`,
    (size) => `{ "${"n".repeat(size / 2)}": { ${'"b": 1,'.repeat(size / 14)} } }`,
    (size) => `{ "${"n".repeat(size / 2)}": [ ${"1,".repeat(size / 4)} ] }`,
    (size) => `{ ${Array.from({ length: size / 12 }, (_, at) => `"k${at}": 1`).join(",")} }`,
    (size) => `{ "a": -${"1".repeat(size)}x }`,
    (size) => " ".repeat(size),
  ];
  for (const body of bodies) {
    const [small, large] = [body(100_000), body(400_000)];
    expectLinearTime(
      () => parseJsonc(small),
      () => parseJsonc(large),
    );
  }
});

test("SET5 any text gives an object or an error with its place, never an exception", () => {
  propertyHolds(
    property(string({ unit: "binary", maxLength: 60 }), (text) => {
      expect(["object", "invalid"]).toContain(parseJsonc(text).type);
      expect(["object", "invalid"]).toContain(parseJsonc(`{ "a": ${text} }`).type);
    }),
  );
});

/** With a comment wherever a line ends, and a comma before every bracket that closes something. */
function commented(plain: string): string {
  return plain
    .replace(/([^\s{[,])\n(\s*)([}\]])/g, "$1,\n$2$3")
    .replaceAll("\n", ' // "not" } a value\n/* nor { this */ ');
}

function valueIn(text: string): unknown {
  const read = parseJsonc(text);
  return read.type === "object" ? read.value : read;
}
