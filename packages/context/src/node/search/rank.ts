/** The order of what was found: people's words before machines' output, words in a row before scattered ones, short before long, new before old. */

import type { HitKind } from "./indexing/searchable.ts";
import type { Candidate } from "./keeping/entries.ts";

/** `phrased` are those in which all words stand in a row. Best first; of equals the newest. */
export function ranked(found: readonly Candidate[], phrased: ReadonlySet<number>): readonly Candidate[] {
  const newest = Math.max(...found.map(({ time }) => time));
  const scored = found.map((candidate) => ({ candidate, score: score(candidate, { newest, phrased }) }));
  return scored
    .sort((one, other) => other.score - one.score || newestFirst(one.candidate, other.candidate))
    .map(({ candidate }) => candidate);
}

interface Among {
  /** When the newest of all that were found was written. */
  readonly newest: number;
  readonly phrased: ReadonlySet<number>;
}

// Each signal is worth two points at most, who speaks three. A short text that has the words is about them.
function score({ id, kind, letters, time }: Candidate, { newest, phrased }: Among): number {
  const inARow = phrased.has(id) ? 2 : 0;
  const density = Math.min(2, Math.max(0, 4 - Math.log10(Math.max(1, letters))));
  const recency = 2 * 0.5 ** ((newest - time) / MONTH);
  return WORTH[kind] + inARow + density + recency;
}

function newestFirst(one: Candidate, other: Candidate): number {
  return other.time - one.time || other.id - one.id;
}

const MONTH = 30 * 86_400_000;
const WORTH: Readonly<Record<HitKind, number>> = {
  user: 3,
  session_info: 3,
  label: 3,
  assistant: 2,
  compaction: 1.5,
  branch_summary: 1.5,
  bashExecution: 1.5,
  custom_message: 1,
  custom: 1,
  program: 1,
  toolResult: 0,
};
