/** What texts cost by estimate. How close that is to real tokens is tested in `bench/test/tokens`. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { textTokens } from "../../../src/reading/tokens/text-tokens.ts";

test("nothing costs nothing, and anything costs something", () => {
  expect(textTokens("")).toBe(0);
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "binary" }), (text) => {
      expect(textTokens(text)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test("lone halves of pairs, control letters and every other unit have a cost", () => {
  const every = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join("");
  expect(Number.isSafeInteger(textTokens(every))).toBe(true);
  expect(textTokens("\ud800".repeat(100))).toBeGreaterThan(50);
  expect(textTokens("\udc00".repeat(100))).toBeGreaterThan(50);
});

test.each([
  ["the", 1],
  ["word by word", 3],
  ["123456", 2],
  ["useState", 2],
  ["=".repeat(40), 2],
  ["line;\nline;\n", 4],
  ["    indented", 2],
  [" ", 1],
])("what is certain is counted exactly: %j", (text, tokens) => {
  expect(textTokens(text)).toBe(tokens);
});

test("two texts cost about as much as both in one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      expect(Math.abs(textTokens(one + other) - textTokens(one) - textTokens(other))).toBeLessThanOrEqual(4);
    }),
  );
});

test("what looks like no language costs more than what does", () => {
  expect(textTokens("xqzjvkwqpfgh")).toBeGreaterThan(2 * textTokens("understanding"));
  expect(textTokens("dGhlIHF1aWNr")).toBeGreaterThan(2 * textTokens("understanding"));
});
