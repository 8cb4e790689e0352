/** Creates error bodies that are slow to classify (near-matches, deep nesting, unclosed quotes) and measures the time. */

import { classifyRefusal } from "@pith/models/overflow";
import { median } from "../statistics.ts";

/** Each fragment is repeated to the given size. */
const FRAGMENTS: readonly string[] = [
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

/** Many messages with many objects each: a small cost per object must not add up. */
const BODIES: readonly ((size: number) => unknown)[] = [
  (size) => ({ message: repeatToSize("{'a':1} ", size) }),
  (size) => ({ errors: sixteenTimes({ message: repeatToSize("{'a':1} ", size / 16) }) }),
  (size) => ({
    errors: sixteenTimes({ errors: sixteenTimes({ message: repeatToSize("{'message':'x y'} ", size / 256) }) }),
  }),
  (size) => ({ message: JSON.stringify({ message: JSON.stringify({ message: repeatToSize("{'a':'b'} ", size) }) }) }),
];

export function createHostileTexts(size: number): readonly string[] {
  return [...FRAGMENTS.map((part) => repeatToSize(part, size)), ...BODIES.map((body) => JSON.stringify(body(size)))];
}

function repeatToSize(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length)).slice(0, Math.ceil(size));
}

function sixteenTimes(value: unknown): readonly unknown[] {
  return Array.from({ length: 16 }, () => value);
}

export interface HostileTimes {
  /** The slowest text of 1 MB. */
  readonly worstMs: number;
  /** The time of all texts at four times the size, as a ratio; the worse of two sizes. */
  readonly growth: number;
}

export function measureHostileTexts(): HostileTimes {
  const sizes = [16_000, 64_000, 250_000, 1_000_000];
  const times = sizes.map((size) => createHostileTexts(size).map(timeClassification));
  const [small = 0, medium = 0, large = 0, huge = 0] = times.map((sizeTimes) =>
    sizeTimes.reduce((sum, ms) => sum + ms, 0),
  );
  return { worstMs: Math.max(...(times[3] ?? [])), growth: Math.max(medium / small, huge / large) };
}

function timeClassification(text: string): number {
  const runs = Array.from({ length: 15 }, () => {
    const start = performance.now();
    classifyRefusal({ status: 400, text });
    return performance.now() - start;
  });
  return median(runs.slice(4));
}
