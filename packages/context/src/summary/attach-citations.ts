/** Adds the number of the best matching entry to the lines of a summary whose author could not see entry numbers. */

import { formatCitation } from "../citations.ts";
import type { Evidence, EvidenceSource } from "./audit-evidence.ts";
import { findSummaryItems, isUserSection, NEXT_STEPS_SECTION, parseMark, splitSummaryLines } from "./parse-summary.ts";
import { buildVocabulary } from "./word-overlap.ts";

/**
 * Adds citations of the work to lines without one. Lines about what the user wants are left to the checks, which look only at the user's
 * messages; next steps are based on no entry.
 */
export function attachCitations(summary: string, evidence: Pick<Evidence, "sources">): string {
  const lines = [...splitSummaryLines(summary)];
  const uncited = findSummaryItems(lines).filter(
    ({ section, references, text }) =>
      references.length === 0 && !isUserSection(section) && section !== NEXT_STEPS_SECTION && parseMark(text) === null,
  );
  if (uncited.length === 0) return summary;
  const wordsOf = uncited.map(({ text }) => buildVocabulary(text).words);
  // Only the model can tell which message of the user a decision rests on.
  const sources = [...evidence.sources()].filter(([, { isFromUser }]) => !isFromUser);
  const counts = countSources(new Set(wordsOf.flatMap((words) => [...words])), sources);
  uncited.forEach(({ end }, index) => {
    const reference = findBestSource(wordsOf[index] ?? new Set(), sources, counts);
    if (reference !== null) lines[end - 1] = `${(lines[end - 1] ?? "").trimEnd()}${formatCitation([reference])}`;
  });
  return lines.join("\n");
}

type SourceList = readonly (readonly [reference: string, source: EvidenceSource])[];

/** Counts in how many entries each word occurs. */
function countSources(words: ReadonlySet<string>, sources: SourceList): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, { vocabulary }] of sources) {
    const { words: sourceWords } = vocabulary();
    for (const word of words) if (sourceWords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** The entry with which a line shares the rarest words; of equal ones the newest. Null if no entry shares two words with it. */
function findBestSource(
  words: ReadonlySet<string>,
  sources: SourceList,
  counts: ReadonlyMap<string, number>,
): string | null {
  let best: { readonly reference: string; readonly score: number } | null = null;
  for (const [reference, { vocabulary }] of sources) {
    const { words: sourceWords } = vocabulary();
    const sharedWords = [...words].filter((word) => sourceWords.has(word));
    if (sharedWords.length < MIN_SHARED_WORDS) continue;
    const score = sharedWords.reduce((sum, word) => sum + Math.log1p(sources.length / (counts.get(word) ?? 1)), 0);
    if (!best || score >= best.score) best = { reference, score };
  }
  return best?.reference ?? null;
}

const MIN_SHARED_WORDS = 2;
