/** A text as sentences of plain words, each word in one spelling, without what stands in quotation marks. */

import { isOverflowCode } from "../codes.ts";
import { spelled } from "./spelling.ts";

export interface Sentence {
  readonly words: readonly string[];
  /** The words with one space around each, so that a phrase is found by `includes(" phrase ")`. */
  readonly line: string;
}

const pieces = new RegExp(
  [
    /\d{1,3}(?:[.,\u00a0\u202f]\d{3})+(?![\d.]*\d)/,
    // With a space between the thousands; but `400 413` are two, as libraries put the status in front.
    /(?<![\d.,] ?)(?![45]\d\d (?!000))\d{1,3}(?: \d{3})+(?! ?\d)/,
    /\d{1,6}\.\d{1,6}[km]\b/,
    /(?<![\p{L}\p{N}_])-\d{1,9}\b/u,
    /[\p{L}\p{N}_]+/u,
    /(?<![-=])[<>]+=?/,
    /[.!?;](?=\s|$)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);
/** A single quote between letters is an apostrophe. */
const opening = /["`]|(?<![\p{L}\p{N}_])'(?=[\p{L}\p{N}_])/gu;
const tags = /<[a-z/!][^<>]*>/g;
/** A quotation in single quotes is hardly longer. */
const NEARBY = 200;
const statusNames = new Set(["error", "code", "status", "http", "rejected"]);

/** The text is folded. */
export function sentencesIn(text: string): readonly Sentence[] {
  const sentences: string[][] = [[]];
  for (const piece of unquoted(text.replace(tags, " ")).match(pieces) ?? []) {
    if (".!?;".includes(piece)) sentences.push([]);
    else sentences.at(-1)?.push(...spelled(piece));
  }
  return sentences.filter((words) => words.length > 0).map(sentenceOf);
}

export function sentenceOf(words: readonly string[]): Sentence {
  return { words, line: ` ${words.join(" ")} ` };
}

/** Phrases to look for, ready for `says`. */
export function phrases(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.flat().map((phrase) => ` ${phrase} `);
}

export function says({ line }: Sentence, wanted: readonly string[]): boolean {
  return wanted.some((phrase) => line.includes(phrase));
}

/** Libraries put the status in front: `429 status code (no body)`, `Error code: 400 - …`. */
export function isStatusAt(words: readonly string[], at: number): boolean {
  if (!/^[45]\d\d$/.test(words[at] ?? "") || words[at + 1] === "token") return false;
  return at === 0 || statusNames.has(words[at - 1] ?? "");
}

/**
 * Quotation marks hold what somebody else said: a user, a model, a field. Only single words between backticks or single
 * quotes stay, for they name parameters.
 */
function unquoted(text: string): string {
  const plain = text.replace(/[“”«»]/g, '"').replace(/[‘’]/g, "'");
  const closingQuote = closingQuotes(plain);
  let kept = "";
  let from = 0;
  for (const { index: at } of plain.matchAll(opening)) {
    if (at < from) continue;
    const end = closingQuote(at);
    if (end < 0 && plain[at] === '"') return kept + plain.slice(from, at);
    if (end < 0) continue;
    kept += `${plain.slice(from, at)} ${plain[at] === '"' ? "" : nameIn(plain.slice(at + 1, end))} `;
    from = end + 1;
  }
  return kept + plain.slice(from);
}

/** Single quotes are looked for nearby only: most of them are apostrophes. To be asked from left to right. */
function closingQuotes(text: string): (at: number) => number {
  const closing = /'(?![\p{L}\p{N}_])/gu;
  let next = -1;
  return (at) => {
    const mark = text[at] ?? "";
    if (mark !== "'") return text.indexOf(mark, at + 1);
    closing.lastIndex = at + 1;
    if (next <= at) next = closing.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return next - at > NEARBY ? -1 : next;
  };
}

function nameIn(quoted: string): string {
  return quoted.includes(" ") || (quoted.length > 12 && isOverflowCode(quoted)) ? "" : quoted;
}
