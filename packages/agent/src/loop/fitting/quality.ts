/** What a person should know of a compaction that was done: who told it, what was mended, which words are no longer shown. */

import type { Finding, Receipt } from "@pith/context";
import type { QualityFinding } from "./compaction-events.ts";

export interface Circumstances {
  /** Whether a model was meant to tell it. */
  readonly hasWriters: boolean;
  /** Whether the conversation had been summed up before. */
  readonly isAgain: boolean;
}

export function qualityOf(
  { route, findings }: Receipt,
  { hasWriters, isAgain }: Circumstances,
): readonly QualityFinding[] {
  const mended = findings.filter(({ code }) => ![...LEFT_OUT, ...FAILURES].includes(code));
  const failures = findings.filter(({ code }) => !LEFT_OUT.includes(code));
  const isByCode = route === "model-free" && hasWriters;
  return [
    ...(isByCode ? [{ code: "told-by-code" as const, note: byCode(failures) }] : []),
    ...(!isByCode && mended.length > 0 ? [{ code: "repaired" as const, note: repaired(mended) }] : []),
    ...(isByCode ? [] : findings.filter(({ code }) => FAILURES.includes(code))),
    ...findings.filter(({ code }) => code === "words-evicted"),
    ...(isAgain ? [{ code: "compacted-again" as const, note: AGAIN }] : []),
  ];
}

/** What code left out for want of room: no flaw of a story. */
const LEFT_OUT: readonly Finding["code"][] = ["words-evicted", "words-shortened", "result-reduced"];

/** Why somebody else had to tell it. */
const FAILURES: readonly Finding["code"][] = [
  "writer-failed",
  "hook-failed",
  "spend-limit",
  "not-covered",
  "no-gain",
  "does-not-fit",
];

function byCode(failures: readonly Finding[]): string {
  const why = failures.at(-1)?.note;
  return `no model told it: it has your words, files and commands, and no story${why === undefined ? "" : ` (${why})`}`;
}

function repaired(flaws: readonly Finding[]): string {
  const [first] = flaws;
  const more = flaws.length === 1 ? "" : `, and ${flaws.length - 1} more`;
  return `the summary was mended where the log did not bear it out: ${first?.note}${more}`;
}

// B84
const AGAIN =
  "it was summed up before, and each time something is lost; pin what must stay, or begin afresh with /handoff";
