/** Makes bodies that cost time to classify (near-matches, deep nesting, quotes that never end) and measures them. */

import { classifyRefusal } from "@pith/models/overflow";
import { median } from "../statistics.ts";

/** Each is repeated to the size wanted. */
const parts: readonly string[] = [
  "a",
  "a ",
  "a. ",
  "input token count ",
  "prompt is too ",
  "exceeds the maximum ",
  "maximum context length is ",
  "input (1",
  "[",
  '{"error":',
  '{"message":"',
  '{"message":"prompt"} ',
  '"',
  " 'a",
  "`",
  "\\",
  "<",
  "1,",
  "400 ",
  "Limit 5, Requested ",
  "'",
  "a'",
  "'a' ",
  "{}",
  '\\"',
  "İ",
  "ﬃ",
];

/** Many messages with many objects in each: what is cheap alone must not be paid a thousand times. */
const bodies: readonly ((size: number) => unknown)[] = [
  (size) => ({ message: repeated("{'a':1} ", size) }),
  (size) => ({ errors: sixteen({ message: repeated("{'a':1} ", size / 16) }) }),
  (size) => ({ errors: sixteen({ errors: sixteen({ message: repeated("{'message':'x y'} ", size / 256) }) }) }),
  (size) => ({ message: JSON.stringify({ message: JSON.stringify({ message: repeated("{'a':'b'} ", size) }) }) }),
];

export function hostileTexts(size: number): readonly string[] {
  return [...parts.map((part) => repeated(part, size)), ...bodies.map((body) => JSON.stringify(body(size)))];
}

function repeated(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length)).slice(0, Math.ceil(size));
}

function sixteen(value: unknown): readonly unknown[] {
  return Array.from({ length: 16 }, () => value);
}

export interface Hostile {
  /** The slowest text of 1 MB. */
  readonly worstMs: number;
  /** All texts of four times the size, beside all of the size itself; the worse of two places. */
  readonly growth: number;
}

export function hostile(): Hostile {
  const sizes = [16_000, 64_000, 250_000, 1_000_000];
  const times = sizes.map((size) => hostileTexts(size).map(timed));
  const [small = 0, medium = 0, large = 0, huge = 0] = times.map((all) => all.reduce((sum, ms) => sum + ms, 0));
  return { worstMs: Math.max(...(times[3] ?? [])), growth: Math.max(medium / small, huge / large) };
}

function timed(text: string): number {
  const runs = Array.from({ length: 15 }, () => {
    const start = performance.now();
    classifyRefusal({ status: 400, text });
    return performance.now() - start;
  });
  return median(runs.slice(4));
}
