/** Writes the hits of a search as lines within a token limit, best first. The end is shortened first, so that the best hits stay. */

import { type Entry, type ToolCallBlock, textTokens } from "@pith/context";
import { entryReference } from "@pith/context/host";
import type { EntryHit } from "../../ports.ts";
import {
  type EntryLookup,
  findCall,
  findResult,
  isResultEntry,
  listCalls,
  listTexts,
  mainArgument,
} from "../call-results.ts";
import { describeEntry } from "../entry-text.ts";

/** A hit with its entry. */
export interface FoundEntry extends Omit<EntryHit, "id"> {
  readonly entry: Entry;
}

export interface HitLineOptions {
  readonly entries: EntryLookup;
  /** The words and paths that were searched for. */
  readonly queryWords: readonly string[];
  readonly maxLines: number;
  readonly maxTokens: number;
  readonly isOnOtherBranch: (entry: Entry) => boolean;
  readonly redact: (text: string) => string;
}

export interface HitLines {
  readonly lines: readonly string[];
  /** How many hits from the first on are shown, each in a line or beside a better hit. */
  readonly shownCount: number;
}

/** One line for each hit, with the call beside its result. A hit that repeats a better one is named beside it. */
export async function writeHitLines(hits: readonly FoundEntry[], options: HitLineOptions): Promise<HitLines> {
  const lines: string[] = [];
  const shown = new Set<FoundEntry>();
  let tokens = 0;
  for (const hit of hits) {
    if (shown.has(hit)) continue;
    const others = hits.filter((other) => other !== hit && !shown.has(other));
    const linesLeft = Math.min(options.maxLines - lines.length, others.length + 1);
    if (linesLeft <= 0 || (lines.length > 0 && tokens + MIN_LINE_TOKENS > options.maxTokens)) break;
    const freeTokens = options.maxTokens - tokens - (linesLeft - 1) * MIN_LINE_TOKENS;
    const partner = await findPartner(hit, options);
    // The line of a result names its call but does not show all of it, so a call that was found, too, gets its own line.
    const resultId = isResultEntry(hit.entry) ? undefined : partner?.entry.id;
    const partnerHit = others.find(({ entry }) => entry.id === resultId);
    const repeated = others.filter((other) => other !== partnerHit && isSimilar(other, hit)).slice(0, MAX_REPEATED);
    const suffix = formatRepeated(repeated, hit, options);
    const result = formatResult(partner, partnerHit, options);
    const lineTokens = Math.max(MIN_LINE_TOKENS, freeTokens - textTokens(suffix));
    const hitTokens = lineTokens - Math.min(textTokens(result), Math.floor(lineTokens / 2));
    const text = fitTokens(formatHit(hit, partner, options), hitTokens);
    lines.push(`${text}${fitTokens(result, lineTokens - textTokens(text))}${suffix}`);
    tokens += textTokens(`${lines.at(-1)}\n`);
    for (const each of [hit, ...(partnerHit ? [partnerHit] : []), ...repeated]) shown.add(each);
  }
  const firstHidden = hits.findIndex((hit) => !shown.has(hit));
  return { lines, shownCount: firstHidden < 0 ? hits.length : firstHidden };
}

/** Enough for the number, the label and a few words. Kept for each line that follows. */
const MIN_LINE_TOKENS = 40;
const MAX_REPEATED = 8;

/** The call that a result answers, or the result of the call that was found. */
interface Partner {
  readonly call: ToolCallBlock;
  /** The entry of the result or of the call, whichever is not the hit. */
  readonly entry: Entry;
}

async function findPartner(hit: FoundEntry, options: HitLineOptions): Promise<Partner | null> {
  const { entry } = hit;
  if (isResultEntry(entry)) {
    const found = await findCall(entry, options.entries);
    return found && { call: found.call, entry: found.entry };
  }
  const call = findMatchingCall(hit, options.queryWords);
  const result = call && (await findResult(entry, call, options.entries));
  return call && result && { call, entry: result };
}

/** The call with the most words of the query, then of the excerpt; null if the text of the reply has more words of the query. */
function findMatchingCall({ entry, excerpt }: FoundEntry, queryWords: readonly string[]): ToolCallBlock | null {
  const countWords = (value: unknown, words: readonly string[]): number => {
    const text = JSON.stringify(value).toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  const scored = listCalls(entry).map((call) => ({
    call,
    matches: countWords([call.name, call.arguments], queryWords),
    words: countWords(call.arguments, splitWords(excerpt)),
  }));
  const [best] = scored.toSorted((one, other) => other.matches - one.matches || other.words - one.words);
  return best && best.matches > 0 && best.matches >= countWords(listTexts(entry), queryWords) ? best.call : null;
}

/** Whether two excerpts have nearly the same words, apart from numbers. Short ones must be equal. */
function isSimilar(one: FoundEntry, other: FoundEntry): boolean {
  if (one.excerpt === other.excerpt) return true;
  const [words, otherWords] = [one, other].map(({ excerpt }) => new Set(splitWords(excerpt).filter(isNoNumber)));
  if (!words || !otherWords || Math.min(words.size, otherWords.size) < MIN_SIMILAR_WORDS) return false;
  const common = [...words].filter((word) => otherWords.has(word)).length;
  return common / (words.size + otherWords.size - common) >= SIMILAR_SHARE;
}

const MIN_SIMILAR_WORDS = 4;
const SIMILAR_SHARE = 0.7;
const isNoNumber = (word: string): boolean => !/^\d/.test(word);

export function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function formatHit(hit: FoundEntry, partner: Partner | null, options: HitLineOptions): string {
  const { entry, excerpt, stored } = hit;
  const place = stored && `${stored.line === null ? "" : `line ${stored.line} of `}${stored.reference}`;
  const notes = [describeHit(hit, partner, options), place, options.isOnOtherBranch(entry) ? "other branch" : ""];
  return `${entryReference(entry)} (${notes.filter(Boolean).join(", ")}): ${options.redact(excerpt)}`;
}

/** The result of a call that was found; empty for another hit. */
function formatResult(partner: Partner | null, hit: FoundEntry | undefined, options: HitLineOptions): string {
  if (!partner || !isResultEntry(partner.entry)) return "";
  const failed = partner.entry.message.isError ? " (failed)" : "";
  const result = hit ? options.redact(hit.excerpt) : excerptResult(partner, options);
  return ` → ${entryReference(partner.entry)}${failed}${result === "" ? "" : `: ${result}`}`;
}

/** The beginning and the end of a result; empty if it only confirms the call, such as `Created src/a.ts: 12 lines`. */
function excerptResult({ call, entry }: Partner, { redact }: HitLineOptions): string {
  const text = toLine(redact(describeEntry(entry).text), Number.POSITIVE_INFINITY);
  if (text.length <= 2 * RESULT_CHARS) return text.includes(mainArgument(call)) ? "" : text;
  return `${text.slice(0, RESULT_CHARS).toWellFormed()} … ${text.slice(-RESULT_CHARS).toWellFormed()}`;
}

/** Such as `result of read src/a.ts`, or `call of write src/a.ts`. */
function describeHit({ entry, excerpt }: FoundEntry, partner: Partner | null, options: HitLineOptions): string {
  const argument = partner ? toLine(options.redact(mainArgument(partner.call)), CALL_CHARS) : "";
  if (isResultEntry(entry))
    return `${entry.message.isError ? "failed " : ""}result of ${entry.message.toolName} ${argument}`.trim();
  if (!partner) return describeEntry(entry).kind;
  const isInExcerpt = excerpt.includes(argument.slice(0, SHOWN_ARGUMENT_CHARS));
  return `call of ${partner.call.name} ${isInExcerpt ? "" : argument}`.trim();
}

const CALL_CHARS = 60;
const RESULT_CHARS = 60;
/** An argument of which the excerpt shows so much is not repeated in the label. */
const SHOWN_ARGUMENT_CHARS = 20;

/** Such as ` [also #12, #34 (8443)]`: the numbers of the others, and the words in which they differ. */
function formatRepeated(repeated: readonly FoundEntry[], hit: FoundEntry, { redact }: HitLineOptions): string {
  const shownWords = new Set(splitWords(hit.excerpt));
  const others = repeated.map(({ entry, excerpt }) => {
    const words = splitWords(redact(excerpt)).filter((word) => !shownWords.has(word));
    const difference = toLine([...new Set(words)].join(" "), DIFFERENCE_CHARS);
    return `${entryReference(entry)}${difference === "" ? "" : ` (${difference})`}`;
  });
  return others.length === 0 ? "" : ` [also ${others.join(", ")}]`;
}

const DIFFERENCE_CHARS = 24;

/** Cuts the end of a line so that it has at most so many tokens. */
function fitTokens(line: string, maxTokens: number): string {
  let text = line;
  for (let tokens = textTokens(text); tokens > maxTokens; tokens = textTokens(text))
    text = cutEnd(text, Math.floor(text.length * Math.min(0.95, maxTokens / tokens)));
  return text;
}

/** The text as one line of at most so many characters. */
export function toLine(text: string, maxChars: number): string {
  return cutEnd(text.replaceAll(/\s+/g, " ").trim(), maxChars);
}

function cutEnd(line: string, maxChars: number): string {
  return line.length <= maxChars ? line : `${line.slice(0, Math.max(0, maxChars - 1)).toWellFormed()}…`;
}
