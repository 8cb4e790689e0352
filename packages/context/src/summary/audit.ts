/** Checks a summary against the session. Lines are never removed or reworded: code repairs the form and marks what it cannot confirm. */

import { findBlobDigits, findCitedReferences, formatCitation, removeCitations } from "../citations.ts";
import { splitQuotationWords } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Steps } from "../turns.ts";
import type { Evidence, EvidenceSource } from "./audit-evidence.ts";
import { findNames, isKnownName } from "./known-names.ts";
import {
  DECISIONS_SECTION,
  demoteHeadings,
  findQuotations,
  findSummaryItems,
  GOAL_SECTION,
  isEmptyStatement,
  isPlanSection,
  isUserSection,
  parseHeading,
  parseMark,
  REQUEST_SECTION,
  removeMarks,
  type SummaryItem,
  type SummaryMark,
  splitSummaryLines,
  stripLineMarkup,
} from "./parse-summary.ts";
import { addMark, repairCitations, restoreHeadings } from "./repair.ts";
import { countSharedWords, countWordSupport, type WordOverlap, type WordSupport } from "./word-overlap.ts";

/** The required form of a summary. */
export interface SummaryFormat {
  /** Required headings in order, e.g. `## Goal`; empty for a summary of any form. */
  readonly sections: readonly string[];
  readonly tokens: number;
}

export interface SummaryCheckResult {
  /** With headings restored, citations repaired and marks added. */
  readonly text: string;
  /** What only the model can correct. It gets one more request. */
  readonly problems: readonly Flaw[];
  /** What was marked or is worth knowing. The receipt lists it. */
  readonly flaws: readonly Flaw[];
}

export type FlawCode =
  | "empty"
  | "sections"
  | "too-long"
  | "unknown-id"
  | "unresolved-citations"
  | "false-quote"
  | "unknown-name"
  | "unfounded"
  | "not-from-user"
  | "wrong-request"
  | "other-language";

/** Something wrong with a summary. */
export interface Flaw {
  readonly code: FlawCode;
  /** A sentence for users, and for the model that must correct the summary. */
  readonly note: string;
  /** An instruction for the model that must correct the summary. Users do not see it. */
  readonly advice?: string;
}

/** Checks a summary, repairs its form and marks the lines that the evidence does not confirm. */
export function checkSummary(summary: string, evidence: Evidence, format: SummaryFormat): SummaryCheckResult {
  const lines = demoteHeadings(splitSummaryLines(summary));
  if (findSummaryItems(lines).length === 0)
    return { text: lines.join("\n"), problems: [EMPTY_SUMMARY_FLAW], flaws: [] };
  const linesWithHeadings = format.sections.length === 0 ? lines : restoreHeadings(lines, format.sections);
  const citations = repairCitations(linesWithHeadings ?? lines, evidence.resolve);
  const problems = [
    ...sizeProblem(summary, format),
    ...(linesWithHeadings === null ? [headingProblem(format)] : []),
    ...citationProblem(citations),
  ];
  const { lines: markedLines, flaws } = markLines(citations.lines, citations.unresolvedLines, evidence);
  return {
    text: markedLines.join("\n"),
    problems,
    flaws: [...flaws, ...requestFlaw(markedLines, evidence), ...scriptFlaw(markedLines, evidence)],
  };
}

/** Computes in steps what the checks will read: a long session has many words. */
export function* loadEvidence(
  summary: string,
  evidence: Evidence,
  { needsAll }: { readonly needsAll: boolean },
): Steps<void> {
  yield* evidence.computeNames();
  if (findQuotations(summary).length > 0) yield* evidence.computeAllWords();
  for (const source of (needsAll ? evidence.sources() : evidence.userSources()).values())
    yield source.vocabulary().chars;
}

const EMPTY_SUMMARY_FLAW: Flaw = {
  code: "empty",
  note: "The summary is empty.",
  advice: "Write what happened under its headings.",
};

function headingProblem({ sections }: SummaryFormat): Flaw {
  return { code: "sections", note: `Most of these headings are missing: ${sections.join(", ")}` };
}

// Counts the text that the model wrote, before any repair.
function sizeProblem(summary: string, { tokens }: SummaryFormat): readonly Flaw[] {
  const size = textTokens(summary);
  if (size <= tokens * LENGTH_TOLERANCE) return [];
  return [{ code: "too-long", note: `The summary has ${size} tokens; ${tokens} are allowed.` }];
}

const LENGTH_TOLERANCE = 1.1;

function citationProblem({
  cited,
  unresolved,
}: {
  readonly cited: number;
  readonly unresolved: number;
}): readonly Flaw[] {
  if (unresolved * 3 <= cited) return [];
  const problem = unresolved === 1 ? "refers to an entry that does not exist" : "refer to entries that do not exist";
  return [
    {
      code: "unresolved-citations",
      note: `${unresolved} of ${cited} citations ${problem}.`,
      advice: "Cite only the numbers at the start of a block.",
    },
  ];
}

function markLines(
  lines: readonly string[],
  unresolvedLines: ReadonlySet<number>,
  evidence: Evidence,
): { readonly lines: readonly string[]; readonly flaws: readonly Flaw[] } {
  const outputLines = [...lines];
  const flaws: Flaw[] = [];
  for (const item of findSummaryItems(lines)) {
    const hasUnresolvedCitation = lines
      .slice(item.start, item.end)
      .some((_, offset) => unresolvedLines.has(item.start + offset));
    const hasKnownCitation = findCitedReferences(item.text).some((reference) => evidence.resolve(reference) !== null);
    const verdict = judgeItem(item, evidence, hasUnresolvedCitation && !hasKnownCitation);
    const lastIndex = item.end - 1;
    const line = outputLines[lastIndex] ?? "";
    if (verdict.type === "cite") outputLines[lastIndex] = `${line.trimEnd()}${formatCitation([verdict.reference])}`;
    if (verdict.type !== "mark") continue;
    outputLines[lastIndex] = addMark(line, verdict.mark);
    flaws.push({
      code: verdict.code,
      note: `“${truncateClaim(item.text)}” is marked ${verdict.mark} because it ${verdict.why}`,
    });
  }
  return { lines: outputLines, flaws };
}

type ItemVerdict =
  | { readonly type: "ok" }
  /** The line cites nothing, but this message says the same. */
  | { readonly type: "cite"; readonly reference: string }
  | { readonly type: "mark"; readonly mark: SummaryMark; readonly code: FlawCode; readonly why: string };

const ITEM_OK: ItemVerdict = { type: "ok" };

function judgeItem(item: SummaryItem, evidence: Evidence, hasOnlyUnknownCitations: boolean): ItemVerdict {
  // A mark from an earlier summary stays.
  if (parseMark(item.text) !== null || evidence.isConfirmed(item)) return ITEM_OK;
  const previousMark = evidence.previousMark(item.text);
  if (previousMark !== null)
    return { type: "mark", mark: previousMark, code: "unfounded", why: "was already marked in an earlier summary" };
  if (hasOnlyUnknownCitations) return markUnconfirmed("unknown-id", "cites an entry that does not exist");
  const blob = findBlobDigits(item.text).find((hash) => !evidence.hasBlob(hash));
  if (blob !== undefined) return markUnconfirmed("unknown-id", `names blob:${blob}, which does not exist`);
  if (findQuotations(item.text).some((quotation) => isWrongQuotation(quotation, evidence)))
    return markUnconfirmed("false-quote", "quotes text that is not in the log");
  const unknownName = isPlanSection(item.section) ? undefined : findUnknownName(item, evidence);
  if (unknownName !== undefined)
    return markUnconfirmed("unknown-name", `names ${unknownName}, which is not in the log`);
  return judgeSources(item, evidence);
}

function markUnconfirmed(code: FlawCode, why: string): ItemVerdict {
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
function judgeSources(item: SummaryItem, evidence: Evidence): ItemVerdict {
  const { section, references } = item;
  const isUserClaim = isUserSection(section);
  if (references.length === 0) return isUserClaim ? judgeUncited(item, evidence) : ITEM_OK;
  const sources = references.map(evidence.sourceOf);
  const knownSources = sources.filter((source) => source !== null);
  const userSources = knownSources.filter(({ isFromUser }) => isFromUser);
  const findSupports = (candidates: readonly EvidenceSource[]): readonly SupportKind[] =>
    candidates.map((source) => findSupport(claimText(item), source));
  if (isPlanSection(section)) {
    const supports = findSupports(userSources);
    return supports.includes("attachment") && !supports.includes("own") ? FROM_ATTACHMENT : ITEM_OK;
  }
  if (knownSources.length === 0 && references.every(evidence.isDoubtful))
    return markUnconfirmed("unfounded", "cites only entries that unconfirmed lines in an earlier summary cited");
  // Entries that an earlier, unchecked summary cites are not available.
  if (knownSources.length === 0) return isUserClaim ? NOT_FROM_USER : ITEM_OK;
  if (isUserClaim && userSources.length === 0) return NOT_FROM_USER;
  const needsUserSupport = userSources.length > 0 && (isUserClaim || section === DECISIONS_SECTION);
  const supports = findSupports(needsUserSupport ? userSources : knownSources);
  if (supports.includes("own")) return ITEM_OK;
  if (supports.includes("attachment")) return FROM_ATTACHMENT;
  return markUnconfirmed("unfounded", `has nothing in common with ${references.join(", ")}`);
}

const NOT_FROM_USER: ItemVerdict = {
  type: "mark",
  mark: "(not from the user)",
  code: "not-from-user",
  why: "cites no message from you",
};

const FROM_ATTACHMENT: ItemVerdict = {
  ...NOT_FROM_USER,
  why: "is based on an attachment, which you did not write",
};

/** What supports a line: the entry's own words, its attachments, or nothing. */
type SupportKind = "own" | "attachment" | "none";

// WORD4: a claim that shares more words with an attachment than with the user's text comes from the attachment.
function findSupport(claim: string, source: EvidenceSource): SupportKind {
  if (source.attachment === null)
    return isRelated(countSharedWords(claim, source.vocabulary()), source) ? "own" : "none";
  const counts = countWordSupport(removePaths(claim), source.vocabulary(), source.attachment.vocabulary());
  // If the attachments are no longer available, any word that was not typed may come from them.
  const attachmentWords = source.attachment.isComplete ? counts.attached : counts.all - counts.shared;
  if (attachmentWords > counts.shared || isAttachmentClaim(counts)) return "attachment";
  return isRelated(counts, source) ? "own" : "none";
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

// A model may omit a citation. Pith cites the user's message that says the same; without one, the line is unconfirmed.
function judgeUncited(item: SummaryItem, evidence: Evidence): ItemVerdict {
  const claim = claimText(item);
  let best = { reference: "", shared: MIN_SHARED_WORDS - 1 };
  for (const [reference, source] of evidence.userSources()) {
    const { shared } = countSharedWords(claim, source.vocabulary());
    if (shared > best.shared && findSupport(claim, source) === "own") best = { reference, shared };
  }
  if (best.reference === "") return markUnconfirmed("unfounded", "cites no message from you");
  return { type: "cite", reference: best.reference };
}

const claimText = ({ text }: SummaryItem): string => removeCitations(removeMarks(text));

function truncateClaim(text: string): string {
  const plain = stripLineMarkup(text.slice(0, MAX_CLAIM_CHARS * 4).toWellFormed()).replace(/\s+/g, " ");
  const chars = [...plain];
  return chars.length > MAX_CLAIM_CHARS ? `${chars.slice(0, MAX_CLAIM_CHARS).join("")}…` : plain;
}

const MAX_CLAIM_CHARS = 80;

/** AUD6: the Goal cites the user's latest request. */
function requestFlaw(lines: readonly string[], { request }: Evidence): readonly Flaw[] {
  if (request === null) return [];
  const isGoal = (section: string | undefined): boolean => section === GOAL_SECTION || section === REQUEST_SECTION;
  if (!lines.some((line) => isGoal(parseHeading(line)?.name))) return [];
  const goals = findSummaryItems(lines).filter(({ section }) => isGoal(section));
  if (goals.some(({ references }) => references.includes(request.reference))) return [];
  return [{ code: "wrong-request", note: `The Goal does not cite your latest request, ${request.reference}.` }];
}

/** AUD8: a summary is written in the script that the user writes in. */
function scriptFlaw(lines: readonly string[], { userTexts }: Evidence): readonly Flaw[] {
  const [userScript, summaryScript] = [
    mainScript(userTexts().join("\n").slice(-MAX_SCRIPT_CHARS)),
    mainScript(
      lines
        .filter((line) => !isEmptyStatement(line) && !parseHeading(line))
        .map(removeMarks)
        .join("\n"),
    ),
  ];
  if (userScript === null || summaryScript === null || userScript === summaryScript) return [];
  return [
    {
      code: "other-language",
      note: `You write in ${userScript} script, but the summary is in ${summaryScript} script.`,
    },
  ];
}

/** Returns the main script of a text; null for a text with few letters. Technical terms are Latin everywhere, so a quarter of another script decides. */
function mainScript(text: string): string | null {
  const words = (text.match(/\S+/gu) ?? []).filter((word) => !/[`\d_/\\@#$=]/.test(word));
  // Most words are ASCII, whose letters are Latin. The patterns are slow.
  const { ascii = [], other: otherWords = [] } = Object.groupBy(words, (word) =>
    /^[\x21-\x7e]+$/.test(word) ? "ascii" : "other",
  );
  const asciiLetters = ascii.join("").replace(/[^a-z]+/gi, "").length;
  const otherText = otherWords.join(" ");
  const counts = SCRIPT_PATTERNS.map(({ name, pattern }) => ({ name, count: otherText.match(pattern)?.length ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, asciiLetters);
  if (all < MIN_SCRIPT_LETTERS) return null;
  const other = counts.slice(1).reduce((most, each) => (each.count > most.count ? each : most));
  return other.count * 4 >= all ? other.name : "Latin";
}

const MIN_SCRIPT_LETTERS = 12;
/** The user's newest text shows the script as well as all of it, and takes less time. */
const MAX_SCRIPT_CHARS = 50_000;

const SCRIPT_PATTERNS = [
  { name: "Latin", pattern: /\p{sc=Latin}/gu },
  { name: "Chinese or Japanese", pattern: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu },
  { name: "Korean", pattern: /\p{sc=Hangul}/gu },
  { name: "Cyrillic", pattern: /\p{sc=Cyrillic}/gu },
  { name: "Greek", pattern: /\p{sc=Greek}/gu },
  { name: "Arabic", pattern: /\p{sc=Arabic}/gu },
  { name: "Hebrew", pattern: /\p{sc=Hebrew}/gu },
  { name: "Devanagari", pattern: /\p{sc=Devanagari}/gu },
  { name: "Thai", pattern: /\p{sc=Thai}/gu },
] as const;
