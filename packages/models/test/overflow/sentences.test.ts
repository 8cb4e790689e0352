/** Tests overflow/sentences.ts: words and numbers. */

import { expect, test } from "vitest";
import { foldCase, parseNumber, splitSentences } from "../../src/overflow/sentences.ts";

const numbersIn = (text: string) =>
  splitSentences(foldCase(text)).flatMap(({ words }) => words.flatMap((word) => parseNumber(word) ?? []));

test.each([
  ["200000 or 200,000 or 200_000", [200_000, 200_000, 200_000]],
  ["200.000 or 200 000 or 200\u202f000", [200_000, 200_000, 200_000]],
  ["32.8k, 256K, 1M, 1.2M", [32_800, 256_000, 1_000_000, 1_200_000]],
  ["400 413 Request Entity Too Large", [400, 413]],
  ["400 000 tokens", [400_000]],
  ["limits of 10, 200 and 3,000", [10, 200, 3_000]],
  ["version 3.5", [3, 5]],
])("OVF12 numbers are parsed in all common spellings: %s", (text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers);
});

test("OVF8 splitting sentences removes quotations except for names", () => {
  const [sentence] = splitSentences("field 'max_tokens' is \"too long\", it's `not a name`");
  expect(sentence?.words).toEqual(["field", "max_tokens", "is", "it", "s"]);
});

test("splitting sentences keeps a negative number as one word", () => {
  expect(splitSentences("got -312, not gpt-4")[0]?.words).toEqual(["got", "-312", "not", "gpt", "4"]);
});
