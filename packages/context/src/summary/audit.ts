/** Checks a summary against the log. Lines are never removed or reworded: code repairs form, and marks what it cannot confirm. */

import { citedReferences, findBlobDigits, formatCitation, removeCitations } from "../references.ts";
import { wordsIn } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Evidence, Source } from "./evidence.ts";
import { findNames, isKnownName } from "./names.ts";
import { addMark, lowerHeadings, repairCitations, restoreHeadings } from "./repair.ts";
import { countSharedWords, countSupport, type SharedWords, type SupportingWords } from "./shared-words.ts";
import {
  DECISIONS,
  findItems,
  findQuotations,
  GOAL,
  headingOf,
  type Item,
  isPlanSection,
  isUserSection,
  type Mark,
  markOf,
  plainLine,
  REQUEST,
  splitLines,
  statesNothing,
  withoutMarks,
} from "./summary-lines.ts";

export interface SummaryFormat {
  /** Required headings in order, e.g. `## Goal`; empty for a summary of any form. */
  readonly sections: readonly string[];
  readonly tokens: number;
}

export interface CheckedSummary {
  /** With headings restored, citations repaired and marks added. */
  readonly text: string;
  /** What only the model can correct: it is asked once more. */
  readonly problems: readonly Flaw[];
  /** What was marked or is worth knowing; the receipt lists it. */
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

export interface Flaw {
  readonly code: FlawCode;
  /** One sentence, for the model that must correct the summary and for people. */
  readonly note: string;
}

export function checkSummary(summary: string, evidence: Evidence, format: SummaryFormat): CheckedSummary {
  const written = lowerHeadings(splitLines(summary));
  if (findItems(written).length === 0) return { text: written.join("\n"), problems: [EMPTY], flaws: [] };
  const restored = format.sections.length === 0 ? written : restoreHeadings(written, format.sections);
  const citations = repairCitations(restored ?? written, evidence.resolve);
  const problems = [
    ...sizeProblem(summary, format),
    ...(restored === null ? [missingHeadings(format)] : []),
    ...citationProblem(citations),
  ];
  const { lines, flaws } = markLines(citations.lines, citations.unfounded, evidence);
  return {
    text: lines.join("\n"),
    problems,
    flaws: [...flaws, ...requestFlaw(lines, evidence), ...scriptFlaw(lines, evidence)],
  };
}

const EMPTY: Flaw = { code: "empty", note: "The summary is empty. Write what happened under its headings." };

function missingHeadings({ sections }: SummaryFormat): Flaw {
  return { code: "sections", note: `Most of these headings are missing: ${sections.join(", ")}` };
}

// Counted on what the model wrote.
function sizeProblem(summary: string, { tokens }: SummaryFormat): readonly Flaw[] {
  const size = textTokens(summary);
  if (size <= tokens * TOLERATED_LENGTH) return [];
  return [{ code: "too-long", note: `The summary has ${size} tokens; ${tokens} are allowed.` }];
}

const TOLERATED_LENGTH = 1.1;

function citationProblem({
  cited,
  unresolved,
}: {
  readonly cited: number;
  readonly unresolved: number;
}): readonly Flaw[] {
  if (unresolved * 3 <= cited) return [];
  const note = `${unresolved} of ${cited} citations name entries that do not exist. Cite only numbers that stand at the beginning of a block.`;
  return [{ code: "unresolved-citations", note }];
}

function markLines(
  lines: readonly string[],
  unfounded: ReadonlySet<number>,
  evidence: Evidence,
): { readonly lines: readonly string[]; readonly flaws: readonly Flaw[] } {
  const marked = [...lines];
  const flaws: Flaw[] = [];
  for (const item of findItems(lines)) {
    const isUnfounded = lines.slice(item.start, item.end).some((_, at) => unfounded.has(item.start + at));
    const hasCitation = citedReferences(item.text).some((reference) => evidence.resolve(reference) !== null);
    const verdict = judgeItem(item, evidence, isUnfounded && !hasCitation);
    const last = item.end - 1;
    const line = marked[last] ?? "";
    if (verdict.type === "cite") marked[last] = `${line.trimEnd()}${formatCitation([verdict.reference])}`;
    if (verdict.type !== "mark") continue;
    marked[last] = addMark(line, verdict.mark);
    flaws.push({ code: verdict.code, note: `Marked ${verdict.mark}: ${verdict.why}: ${excerpt(item.text)}` });
  }
  return { lines: marked, flaws };
}

type Verdict =
  | { readonly type: "ok" }
  /** Code has found the message that the line rests on. */
  | { readonly type: "cite"; readonly reference: string }
  | { readonly type: "mark"; readonly mark: Mark; readonly code: FlawCode; readonly why: string };

const OK: Verdict = { type: "ok" };

function judgeItem(item: Item, evidence: Evidence, citesNothingReal: boolean): Verdict {
  // A mark that an earlier summary got stays.
  if (markOf(item.text) !== null || evidence.isConfirmed(item)) return OK;
  const earlier = evidence.markBefore(item.text);
  if (earlier !== null)
    return { type: "mark", mark: earlier, code: "unfounded", why: "was not confirmed in an earlier summary" };
  if (citesNothingReal) return unconfirmed("unknown-id", "cites an entry that does not exist");
  const blob = findBlobDigits(item.text).find((hash) => !evidence.hasBlob(hash));
  if (blob !== undefined) return unconfirmed("unknown-id", `names blob:${blob}, which does not exist`);
  if (findQuotations(item.text).some((words) => isWrongQuotation(words, evidence)))
    return unconfirmed("false-quote", "quotes words that are not in the log");
  const unknown = isPlanSection(item.section) ? undefined : findUnknownName(item, evidence);
  if (unknown !== undefined) return unconfirmed("unknown-name", `names ${unknown}, which is not in the log`);
  return judgeSources(item, evidence);
}

function unconfirmed(code: FlawCode, why: string): Verdict {
  return { type: "mark", mark: "(unconfirmed)", code, why };
}

// One or two words in quotation marks are mostly a term, no quotation.
function isWrongQuotation(words: string, { hasQuotation }: Evidence): boolean {
  return wordsIn(words).length >= SHORTEST_QUOTATION && !hasQuotation(words);
}

const SHORTEST_QUOTATION = 3;

function findUnknownName({ text }: Item, { names }: Evidence): string | undefined {
  return findNames(withoutMarks(text)).find((name) => !isKnownName(name, names()))?.text;
}

/** AUD4: a line has something in common with what it cites, and what the user wants rests on the user's own messages. */
function judgeSources(item: Item, evidence: Evidence): Verdict {
  const { section, references } = item;
  const isUsers = isUserSection(section);
  if (references.length === 0) return isUsers ? judgeUncited(item, evidence) : OK;
  const sources = references.map(evidence.sourceOf);
  const known = sources.filter((source) => source !== null);
  const people = known.filter(({ isPerson }) => isPerson);
  const supports = (of: readonly Source[]): readonly Support[] => of.map((source) => supportOf(claimOf(item), source));
  if (isPlanSection(section)) {
    const given = supports(people);
    return given.includes("attachment") && !given.includes("own") ? FROM_ATTACHMENT : OK;
  }
  if (known.length === 0 && references.every(evidence.isDoubtful))
    return unconfirmed("unfounded", "was not confirmed in an earlier summary");
  // Nothing is known of what an earlier, unchecked summary cites.
  if (known.length === 0) return isUsers ? NOT_FROM_USER : OK;
  if (isUsers && people.length === 0) return NOT_FROM_USER;
  const mustRestOnUser = people.length > 0 && (isUsers || section === DECISIONS);
  const given = supports(mustRestOnUser ? people : known);
  if (given.includes("own")) return OK;
  if (given.includes("attachment")) return FROM_ATTACHMENT;
  return unconfirmed("unfounded", `has nothing in common with ${references.join(", ")}`);
}

const NOT_FROM_USER: Verdict = {
  type: "mark",
  mark: "(not from the user)",
  code: "not-from-user",
  why: "cites no message of the user",
};

const FROM_ATTACHMENT: Verdict = { ...NOT_FROM_USER, why: "rests on an attachment, which the user did not write" };

/** What a line has in common with an entry: its own words, what was attached to them, or nothing. */
type Support = "own" | "attachment" | "none";

// WORD4: what an attachment says more of than the user does is the attachment's.
function supportOf(claim: string, source: Source): Support {
  if (source.attached === null) return isRelated(countSharedWords(claim, source.vocabulary()), source) ? "own" : "none";
  const counted = countSupport(withoutPaths(claim), source.vocabulary(), source.attached.vocabulary());
  // Of a message whose attachments are no longer at hand, whatever was not typed may be theirs.
  const foreign = source.attached.isWhole ? counted.attached : counted.all - counted.shared;
  if (foreign > counted.shared || isPadded(counted)) return "attachment";
  return isRelated(counted, source) ? "own" : "none";
}

/** Whether words of the user stand around a claim of the attachment. */
function isPadded({ attached, all }: SupportingWords): boolean {
  return attached >= ENOUGH_SHARED && attached * 3 >= all;
}

/** A path only names what a line is about. */
function withoutPaths(claim: string): string {
  return findNames(claim).reduce(
    (text, { text: name, kind }) => (kind === "path" ? text.replaceAll(name, " ") : text),
    claim,
  );
}

// By chance alone, one line in nine shares a word with a message that it has nothing to do with, and one in seventy shares two.
function isRelated({ shared, all }: SharedWords, { isPerson }: Source): boolean {
  if (all === 0 || shared >= ENOUGH_SHARED) return true;
  return shared > 0 && (!isPerson || shared >= all * LARGE_SHARE);
}

const ENOUGH_SHARED = 2;
const LARGE_SHARE = 0.3;

// A model may forget a citation. The user's message that says the same is cited by code; without one, the line is in doubt.
function judgeUncited(item: Item, evidence: Evidence): Verdict {
  const claim = claimOf(item);
  let best = { reference: "", shared: ENOUGH_SHARED - 1 };
  for (const [reference, source] of evidence.people()) {
    const { shared } = countSharedWords(claim, source.vocabulary());
    if (shared > best.shared && supportOf(claim, source) === "own") best = { reference, shared };
  }
  if (best.reference === "") return unconfirmed("unfounded", "cites no message of the user");
  return { type: "cite", reference: best.reference };
}

const claimOf = ({ text }: Item): string => removeCitations(withoutMarks(text));

function excerpt(text: string): string {
  const words = plainLine(text.slice(0, LONGEST_EXCERPT * 4).toWellFormed()).replace(/\s+/g, " ");
  const letters = [...words];
  return letters.length > LONGEST_EXCERPT ? `${letters.slice(0, LONGEST_EXCERPT).join("")}…` : words;
}

const LONGEST_EXCERPT = 80;

/** AUD6: the Goal cites the user's latest request. */
function requestFlaw(lines: readonly string[], { request }: Evidence): readonly Flaw[] {
  if (request === null) return [];
  const isGoal = (section: string | undefined): boolean => section === GOAL || section === REQUEST;
  if (!lines.some((line) => isGoal(headingOf(line)?.name))) return [];
  const goals = findItems(lines).filter(({ section }) => isGoal(section));
  if (goals.some(({ references }) => references.includes(request.reference))) return [];
  return [{ code: "wrong-request", note: `The Goal does not cite the user's latest request, ${request.reference}.` }];
}

/** AUD8: a summary is written in the script that the user writes in. */
function scriptFlaw(lines: readonly string[], { userTexts }: Evidence): readonly Flaw[] {
  const [spoken, written] = [
    mainScript(userTexts().join("\n")),
    mainScript(
      lines
        .filter((line) => !statesNothing(line) && !headingOf(line))
        .map(withoutMarks)
        .join("\n"),
    ),
  ];
  if (spoken === null || written === null || spoken === written) return [];
  return [
    { code: "other-language", note: `The user writes in ${spoken} script; the summary is in ${written} script.` },
  ];
}

/** Null for a text with few letters. Technical words are Latin everywhere, so a quarter of another script decides. */
function mainScript(text: string): string | null {
  const prose = text.replace(/\S+/gu, (word) => (/[`\d_/\\@#$=]/.test(word) ? " " : word));
  const counts = SCRIPTS.map(({ name, letters }) => ({ name, count: prose.match(letters)?.length ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all < FEWEST_LETTERS) return null;
  const other = counts.slice(1).reduce((most, each) => (each.count > most.count ? each : most));
  return other.count * 4 >= all ? other.name : "Latin";
}

const FEWEST_LETTERS = 12;

const SCRIPTS = [
  { name: "Latin", letters: /\p{sc=Latin}/gu },
  { name: "Chinese or Japanese", letters: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu },
  { name: "Korean", letters: /\p{sc=Hangul}/gu },
  { name: "Cyrillic", letters: /\p{sc=Cyrillic}/gu },
  { name: "Greek", letters: /\p{sc=Greek}/gu },
  { name: "Arabic", letters: /\p{sc=Arabic}/gu },
  { name: "Hebrew", letters: /\p{sc=Hebrew}/gu },
  { name: "Devanagari", letters: /\p{sc=Devanagari}/gu },
  { name: "Thai", letters: /\p{sc=Thai}/gu },
] as const;
