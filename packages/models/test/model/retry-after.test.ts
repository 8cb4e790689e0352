/** The many ways to say "later". */

import { expect, test } from "vitest";
import { retryAfter } from "../../src/model/retry-after.ts";

const now = (): number => Date.parse("2026-01-01T00:00:00Z");
const after = (text: string, headers: Record<string, string> = {}) => retryAfter({ headers, text }, now);

test.each([
  ["Please try again in 4.77s. Visit our page.", 4770],
  ["Please try again in 1m30s.", 90_000],
  ["Please try again in 6m0s.", 360_000],
  ["Please retry in 37.5s.", 37_500],
  ["Try again in 820ms", 820],
  ["Rate limited, retry after 20 seconds", 20_000],
  ["please retry after 2 minutes", 120_000],
  ['{"details":[{"retryDelay": "34s"}]}', 34_000],
  ["try again later", undefined],
  ["try again in a while", undefined],
  ["", undefined],
])("MOD4 %s", (text, ms) => {
  expect(after(text)).toBe(ms);
});

test("MOD4 a header counts more than words, milliseconds more than seconds, and a date in the past is now", () => {
  expect(after("try again in 9s", { "Retry-After": "2" })).toBe(2000);
  expect(after("", { "retry-after": "2", "retry-after-ms": "150.2" })).toBe(151);
  expect(after("", { "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" })).toBe(10_000);
  expect(after("", { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0);
  expect(after("try again in 9s", { "retry-after": "soon" })).toBe(9000);
});

test("MOD4 a hostile text takes no longer than a harmless one of its length", () => {
  const hostile = "try again in 1.1.1.1.1.1.1.1 ".repeat(50_000);
  const began = performance.now();
  after(hostile);
  expect(performance.now() - began).toBeLessThan(5000);
});
