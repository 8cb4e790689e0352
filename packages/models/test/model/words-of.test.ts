/** What people read of a provider's error. */

import { expect, test } from "vitest";
import { wordsOf } from "../../src/model/words-of.ts";

test.each([
  ['{"error":{"message":"No such model","type":"x"}}', "No such model"],
  ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "Overloaded"],
  ['[{"error":{"code":400,"message":"Bad request"}}]', "Bad request"],
  ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"deep inside\\"}}"}}', "deep inside"],
  ['{"detail":"Not here"}', "Not here"],
  ['{"type":"response.failed","response":{"error":{"code":"x","message":"It failed"}}}', "It failed"],
  ["  plain\n  words  ", "plain words"],
  ["<!DOCTYPE html><html><head><title>504 Gateway Time-out</title></head></html>", "504 Gateway Time-out"],
  ["<html><body>sorry</body></html>", "it sent a web page"],
  ["", ""],
])("MOD5 %s", (text, words) => {
  expect(wordsOf(text)).toBe(words);
});

test("MOD5 nothing that looks like a key is shown, and nothing long", () => {
  const keys = ["sk-ant-api03-abcdefghijk", "sk-proj-1234567890", "AIzaSyA1234567890abcdefg", "gsk_abcdefgh12345678"];
  for (const key of keys) expect(wordsOf(`Incorrect API key provided: ${key} (see your settings)`)).not.toContain(key);
  expect(wordsOf("x".repeat(10_000))).toHaveLength(301);
});
