/** Tests overflow/loose-json.ts: incomplete and Python-style JSON. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type LooseValue, parseLooseJson } from "../../src/overflow/loose-json.ts";

test("parseLooseJson parses complete JSON, with numbers and words as strings", () => {
  const text =
    '{"error": {"code": 400, "message": "a \\"b\\" \\u00e9\\n", "param": null}, "list": [1, {"x": "y"}]} rest';
  const { value, end } = parseLooseJson(text, 0);
  expect(plain(value)).toEqual({
    error: { code: "400", message: 'a "b" é\n', param: "null" },
    list: ["1", { x: "y" }],
  });
  expect(text.slice(end)).toBe(" rest");
});

test("parseLooseJson parses the dictionaries that Python prints", () => {
  const { value } = parseLooseJson(`{'message': "the model's limit", 'param': None, 'ok': True}`, 0);
  expect(plain(value)).toEqual({ message: "the model's limit", param: "None", ok: "True" });
});

test("parseLooseJson parses incomplete JSON as far as it goes", () => {
  expect(plain(parseLooseJson('{"error": {"message": "prompt is', 0).value)).toEqual({
    error: { message: "prompt is" },
  });
});

test("parseLooseJson accepts any text and ends within it", () => {
  const text = fc
    .array(fc.constantFrom("{", "}", "[", "]", ":", ",", '"', "'", "\\", "\\u12", "a", " ", "\n"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (each) => {
      expect(parseLooseJson(`{${each}`, 0).end).toBeLessThanOrEqual(each.length + 1);
    }),
  );
});

test("parseLooseJson restores the strings of any JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (object) => {
      const fields = Object.fromEntries(Object.entries(object).filter(([key]) => key !== "__proto__"));
      expect(plain(parseLooseJson(JSON.stringify(fields), 0).value)).toEqual(fields);
    }),
  );
});

function plain(value: LooseValue): unknown {
  if (typeof value === "string") return value;
  if (!(value instanceof Map)) return (value as readonly LooseValue[]).map(plain);
  return Object.fromEntries([...(value as ReadonlyMap<string, LooseValue>)].map(([key, inner]) => [key, plain(inner)]));
}
