/** Finds the entry that a line of a summary rests on, for a line that cites none or the one beside it. */

import type { Evidence, EvidenceSource } from "./audit-evidence.ts";
import { buildVocabulary, countSharedWords } from "./word-overlap.ts";

/**
 * Finds the entry about the work that shares the rarest words with a line. Of entries that share about as much, the shortest is the
 * most specific, and of equal ones the newest. Null if no entry has a third of the words.
 */
export function findWorkSource(claim: string, evidence: Pick<Evidence, "sources" | "resolve">): string | null {
  const { words } = buildVocabulary(claim);
  // Only the model can tell which message of the user a line rests on. A report of a change has less to say than its call.
  const sources = [...evidence.sources()].filter(
    ([reference, { isFromUser }]) => !isFromUser && evidence.resolve(reference) === reference,
  );
  const countOf = (word: string): number => sources.filter(([, source]) => source.vocabulary().words.has(word)).length;
  const weights = new Map([...words].map((word) => [word, Math.log1p(sources.length / (countOf(word) || 1))]));
  const candidates = sources.flatMap(([reference, source]) => {
    const { words: sourceWords } = source.vocabulary();
    const shared = [...words].filter((word) => sourceWords.has(word));
    if (shared.length < MIN_SHARED_WORDS || shared.length * 3 < words.size) return [];
    return [
      { reference, size: sourceWords.size, score: shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) },
    ];
  });
  const bestScore = candidates.reduce((best, { score }) => Math.max(best, score), 0);
  const [first, ...others] = candidates.filter(({ score }) => score >= bestScore * SIMILAR_SCORE);
  return first ? others.reduce((best, each) => (each.size <= best.size ? each : best), first).reference : null;
}

const MIN_SHARED_WORDS = 2;
const SIMILAR_SCORE = 0.9;

/** Finds the user's message that has nearly all words of a line. The words of an invented permission are partly the user's, too. */
export function findTypedSource(claim: string, { userSources }: Pick<Evidence, "userSources">): string | null {
  return [...userSources()].findLast(([, source]) => isTyped(claim, source))?.[0] ?? null;
}

function isTyped(claim: string, { isFromUser, typed }: EvidenceSource): boolean {
  if (!isFromUser) return false;
  const { shared, all } = countSharedWords(claim, typed());
  return shared >= MIN_SHARED_WORDS && shared >= all * MIN_TYPED_RATIO;
}

const MIN_TYPED_RATIO = 0.75;

/** A citation of an entry beside the right one. */
export interface NearbySource {
  readonly wrong: string;
  readonly right: string;
}

/** Finds the nearest entry, a few numbers beside those that a line cites, that has most of its words. */
export function findNearbySource(
  claim: string,
  { references, isUserClaim }: { readonly references: readonly string[]; readonly isUserClaim: boolean },
  { sourceOf }: Pick<Evidence, "sourceOf">,
): NearbySource | null {
  const isRight = isUserClaim ? isTyped : hasMostWords;
  for (const wrong of references)
    for (const right of listNearbyNumbers(wrong)) {
      const source = sourceOf(right);
      if (source !== null && isRight(claim, source)) return { wrong, right };
    }
  return null;
}

/** Whether an entry about the work has most words of a line. */
export function hasMostWords(claim: string, { isFromUser, vocabulary }: EvidenceSource): boolean {
  if (isFromUser) return false;
  const { shared, all } = countSharedWords(claim, vocabulary());
  return shared >= MIN_MOST_WORDS && shared * 2 >= all;
}

const MIN_MOST_WORDS = 3;

/** The numbers before and after a number, nearest first. */
function listNearbyNumbers(reference: string): readonly string[] {
  const number = Number(/^#(\d+)$/.exec(reference)?.[1]);
  if (Number.isNaN(number)) return [];
  return Array.from({ length: MAX_DISTANCE }, (_, index) => index + 1).flatMap((distance) => [
    `#${number + distance}`,
    `#${number - distance}`,
  ]);
}

const MAX_DISTANCE = 4;
