/** Judges one line of a summary against the session: whether it can be confirmed, which entry it should cite, or how it is marked. */

import { findBlobDigits, removeCitations } from "../citations.ts";
import { splitQuotationWords } from "../text/sanitize.ts";
import type { Evidence, EvidenceSource } from "./evidence.ts";
import type { FlawCode } from "./flaw.ts";
import { findNames, isKnownName } from "./known-names.ts";
import {
  DECISIONS_SECTION,
  findQuotations,
  isPlanSection,
  isUserSection,
  NEXT_STEPS_SECTION,
  parseMark,
  removeMarks,
  type SummaryItem,
  type SummaryMark,
} from "./parse-summary.ts";
import {
  buildVocabulary,
  countSharedWords,
  countWordSupport,
  findNumbers,
  isSameWord,
  type NumberInText,
  sharesWords,
  type WordOverlap,
  type WordSupport,
} from "./word-overlap.ts";

export interface JudgeOptions {
  /** The references of the line that do not exist. They were removed from it. */
  readonly unknownReferences: readonly string[];
  /** Whether every line must rest on an entry. False for a summary from a hook or another program, which need not cite. */
  readonly needsSources: boolean;
}

export type Verdict =
  | { readonly type: "ok" }
  /** A source confirms a line that an earlier check marked. */
  | { readonly type: "unmark" }
  /** The line cites nothing, but this entry says the same. */
  | { readonly type: "cite"; readonly reference: string }
  /** The line cites the entry beside the right one. */
  | ({ readonly type: "correct" } & NearbySource)
  | { readonly type: "mark"; readonly mark: SummaryMark; readonly code: FlawCode; readonly why: string };

const OK: Verdict = { type: "ok" };

/** Judges a line of a summary. */
export function judgeLine(item: SummaryItem, evidence: Evidence, options: JudgeOptions): Verdict {
  const mark = parseMark(item.text) ?? evidence.previousMark(item.text);
  if (mark === null) return evidence.isConfirmed(item) ? OK : judgeUnmarked(item, evidence, options);
  const isHealed = judgeUnmarked(item, evidence, options).type === "ok" && hasStrongSource(item, evidence);
  if (isHealed) return parseMark(item.text) === null ? OK : { type: "unmark" };
  return { type: "mark", mark, code: "unfounded", why: "was already marked in an earlier summary" };
}

function judgeUnmarked(item: SummaryItem, evidence: Evidence, options: JudgeOptions): Verdict {
  const problem = findUnknownText(item, evidence);
  if (problem !== null) return problem;
  const verdict =
    item.references.length === 0 && options.unknownReferences.length > 0
      ? markUnconfirmed("unknown-id", "cites an entry that does not exist")
      : judgeSources(item, evidence, options);
  if (verdict.type !== "mark") return verdict;
  // AUD2: models miscount. An entry beside the cited one that has most of the line's words is the one that was meant.
  const references = [...options.unknownReferences, ...item.references];
  const isUserClaim = isUserSection(item.section);
  const nearby = findNearbySource(claimText(item), { references, isUserClaim }, evidence);
  return nearby && isSupportedBy(nearby.right, item, evidence) ? { type: "correct", ...nearby } : verdict;
}

/** AUD2, AUD3, AUD5: finds a blob, a quotation or a name that the session does not have. */
function findUnknownText(item: SummaryItem, evidence: Evidence): Verdict | null {
  const blob = findBlobDigits(item.text).find((hash) => !evidence.hasBlob(hash));
  if (blob !== undefined) return markUnconfirmed("unknown-id", `names blob:${blob}, which does not exist`);
  if (findQuotations(item.text).some((quotation) => isWrongQuotation(quotation, evidence)))
    return markUnconfirmed("false-quote", "quotes text that is not in the log");
  const unknownName = isPlanSection(item.section) ? undefined : findUnknownName(item, evidence);
  return unknownName === undefined
    ? null
    : markUnconfirmed("unknown-name", `names ${unknownName}, which is not in the log`);
}

function markUnconfirmed(code: FlawCode, why: string): Verdict {
  return { type: "mark", mark: "(unconfirmed)", code, why };
}

// One or two words in quotation marks are usually a term, not a quotation.
function isWrongQuotation(quotation: string, { hasQuotation }: Evidence): boolean {
  return splitQuotationWords(quotation).length >= MIN_QUOTATION_WORDS && !hasQuotation(quotation);
}

const MIN_QUOTATION_WORDS = 3;

function findUnknownName({ text }: SummaryItem, { names }: Evidence): string | undefined {
  return findNames(removeMarks(text)).find((name) => !isKnownName(name, names()))?.text;
}

/** AUD4: a line shares words with what it cites, and what the user wants is supported by the user's own messages. */
function judgeSources(item: SummaryItem, evidence: Evidence, options: JudgeOptions): Verdict {
  const { section, references } = item;
  if (references.length === 0) return judgeUncited(item, evidence, options);
  const isUserClaim = isUserSection(section);
  const knownSources = references.map(evidence.sourceOf).filter((source) => source !== null);
  const userSources = knownSources.filter(({ isFromUser }) => isFromUser);
  if (isPlanSection(section)) {
    const supports = findSupports(item, userSources);
    return supports.includes("attachment") && !supports.includes("own") ? FROM_ATTACHMENT : OK;
  }
  if (knownSources.length === 0 && references.every(evidence.isDoubtful))
    return markUnconfirmed("unfounded", "cites only entries that unconfirmed lines in an earlier summary cited");
  // The text of entries from before the previous compaction is not loaded.
  if (knownSources.length === 0) return isUserClaim ? NOT_FROM_USER : OK;
  if (isUserClaim && userSources.length === 0) return NOT_FROM_USER;
  const needsUserSupport = userSources.length > 0 && (isUserClaim || section === DECISIONS_SECTION);
  const supports = findSupports(item, needsUserSupport ? userSources : knownSources);
  if (!supports.includes("own")) {
    if (supports.includes("attachment")) return FROM_ATTACHMENT;
    return markUnconfirmed("unfounded", `has nothing in common with ${references.join(", ")}`);
  }
  const number =
    isUserClaim && userSources.length === references.length ? findWrongNumber(item, userSources) : undefined;
  return number === undefined
    ? OK
    : markUnconfirmed("wrong-number", `says ${number}, which is not in ${references.join(", ")}`);
}

const NOT_FROM_USER: Verdict = {
  type: "mark",
  mark: "(not from the user)",
  code: "not-from-user",
  why: "cites no message from you",
};

const FROM_ATTACHMENT: Verdict = {
  ...NOT_FROM_USER,
  why: "is based on an attachment, which you did not write",
};

/** AUD10: finds a number that the cited messages do not have, beside a word that has another number there: “9 minutes” for “7 minutes”. */
function findWrongNumber(item: SummaryItem, sources: readonly EvidenceSource[]): string | undefined {
  const known = sources.flatMap(({ numbers }) => numbers());
  const isContradicted = ({ number, neighbors }: NumberInText): boolean =>
    known.every((other) => other.number !== number) &&
    known.some((other) => neighbors.some((word) => other.neighbors.some((each) => isSameWord(word, each))));
  return findNumbers(claimText(item)).find(isContradicted)?.number;
}

function findSupports(item: SummaryItem, sources: readonly EvidenceSource[]): readonly SupportKind[] {
  const claim = claimText(item);
  const isWork = !isUserSection(item.section) && item.section !== DECISIONS_SECTION;
  return sources.map((source) => {
    const support = findSupport(claim, source);
    return support === "none" && isWork && isWorkOfTurn(claim, source) ? "own" : support;
  });
}

/** Whether a line reports what was done for the message that it cites. */
function isWorkOfTurn(claim: string, { work }: EvidenceSource): boolean {
  return work().some((vocabulary) => countSharedWords(claim, vocabulary).shared >= MIN_SHARED_WORDS);
}

/** What supports a line: the entry's own words, its attachments, or nothing. */
type SupportKind = "own" | "attachment" | "none";

// WORD4: a claim that shares more words with an attachment than with the user's text comes from the attachment.
function findSupport(claim: string, source: EvidenceSource): SupportKind {
  if (source.attachment === null) return isRelated(countShared(claim, source), source) ? "own" : "none";
  const counts = countWordSupport(removePaths(claim), source.vocabulary(), source.attachment.vocabulary());
  // If the attachments are no longer available, any word that was not typed may come from them.
  const attachmentWords = source.attachment.isComplete ? counts.attached : counts.all - counts.shared;
  if (attachmentWords > counts.shared || isAttachmentClaim(counts)) return "attachment";
  return isRelated(counts, source) ? "own" : "none";
}

/** Counts the shared words and, for a message of the user, numbers that are too short for words: the line may be in another language. */
function countShared(claim: string, { isFromUser, vocabulary, numbers }: EvidenceSource): WordOverlap {
  const words = countSharedWords(claim, vocabulary());
  if (!isFromUser) return words;
  const known = new Set(numbers().map(({ number }) => number));
  const claimed = [...new Set(findNumbers(claim).map(({ number }) => number))].filter(({ length }) => length < 3);
  return {
    shared: words.shared + claimed.filter((number) => known.has(number)).length,
    all: words.all + claimed.length,
  };
}

/** Whether a claim comes from an attachment, even if the user's words surround it. */
function isAttachmentClaim({ attached, all }: WordSupport): boolean {
  return attached >= MIN_SHARED_WORDS && attached * 3 >= all;
}

/** Removes paths: they only name what a line is about. */
function removePaths(claim: string): string {
  return findNames(claim).reduce(
    (text, { text: name, kind }) => (kind === "path" ? text.replaceAll(name, " ") : text),
    claim,
  );
}

// Measured: one line in nine shares one word with an unrelated message by chance, one in seventy shares two.
function isRelated({ shared, all }: WordOverlap, { isFromUser }: EvidenceSource): boolean {
  if (all === 0 || shared >= MIN_SHARED_WORDS) return true;
  return shared > 0 && (!isFromUser || shared >= all * MIN_SHARED_RATIO);
}

const MIN_SHARED_WORDS = 2;
const MIN_SHARED_RATIO = 0.3;

/** AUD9: what the user wants needs a citation, and other lines get one. A line that has nothing in common with any entry is marked. */
function judgeUncited(item: SummaryItem, evidence: Evidence, { needsSources }: JudgeOptions): Verdict {
  const claim = claimText(item);
  if (isUserSection(item.section)) {
    const reference = findTypedSource(claim, evidence);
    return reference !== null && isSupportedBy(reference, item, evidence)
      ? { type: "cite", reference }
      : markUnconfirmed("unfounded", "cites no message from you");
  }
  if (!needsSources || item.section === NEXT_STEPS_SECTION) return OK;
  const reference = findWorkSource(claim, evidence);
  if (reference !== null) return { type: "cite", reference };
  if (isPlanSection(item.section)) return OK;
  const words = [...buildVocabulary(claim).words];
  const isKnown =
    words.length === 0 || [...evidence.sources().values()].some((each) => sharesWords(words, each.vocabulary()));
  return isKnown ? OK : markUnconfirmed("uncited", "cites nothing and has nothing in common with any entry");
}

/** Whether a line that cites only this entry is not marked. */
function isSupportedBy(reference: string, item: SummaryItem, evidence: Evidence): boolean {
  return (
    judgeSources({ ...item, references: [reference] }, evidence, { needsSources: true, unknownReferences: [] }).type ===
    "ok"
  );
}

/** Whether an entry that the line cites has most of its words. */
function hasStrongSource(item: SummaryItem, { sourceOf }: Evidence): boolean {
  const claim = claimText(item);
  return item.references.some((reference) => {
    const source = sourceOf(reference);
    if (source === null || (isUserSection(item.section) && !source.isFromUser)) return false;
    const { shared, all } = countSharedWords(claim, source.vocabulary());
    return shared >= MIN_SHARED_WORDS && shared * 2 >= all;
  });
}

const claimText = ({ text }: SummaryItem): string => removeCitations(removeMarks(text));

/**
 * Finds the entry about the work that shares the rarest words with a line. Null if no entry has a third of the words, or if another one
 * shares nearly as much: a wrong number is worse than none.
 */
function findWorkSource(claim: string, evidence: Pick<Evidence, "sources" | "resolve">): string | null {
  const { words } = buildVocabulary(claim);
  // Only the model can tell which message of the user a line rests on. A report of a change has less to say than its call.
  const sources = [...evidence.sources()].filter(
    ([reference, { isFromUser }]) => !isFromUser && evidence.resolve(reference) === reference,
  );
  const countOf = (word: string): number => sources.filter(([, source]) => source.vocabulary().words.has(word)).length;
  const weights = new Map([...words].map((word) => [word, Math.log1p(sources.length / (countOf(word) || 1))]));
  const candidates = sources.flatMap(([reference, source]) => {
    const shared = [...words].filter((word) => source.vocabulary().words.has(word));
    if (shared.length < MIN_SHARED_WORDS || shared.length * 3 < words.size) return [];
    return [{ reference, score: shared.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) }];
  });
  const [best, second] = candidates.toSorted((one, other) => other.score - one.score);
  return best && best.score >= (second?.score ?? 0) * MIN_SCORE_RATIO ? best.reference : null;
}

/** Measured on 108 honest lines: of the numbers that code adds, 87% are those of the author, without the ratio 70%. */
const MIN_SCORE_RATIO = 1.1;

/** Finds the user's message that has nearly all words of a line. The words of an invented permission are partly the user's, too. */
function findTypedSource(claim: string, { userSources }: Pick<Evidence, "userSources">): string | null {
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
function findNearbySource(
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
function hasMostWords(claim: string, { isFromUser, vocabulary }: EvidenceSource): boolean {
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
