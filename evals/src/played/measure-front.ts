/** Measures what a model reads first after a compaction: its size, its ids, its repetitions and the facts that are left. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realTokens } from "@pith/bench/real-tokens";

/** What a model has after a compaction. */
export interface Front {
  /** The whole summary message. */
  readonly text: string;
  /** The part of it that a model wrote. */
  readonly summary: string;
  /** All text of the messages that follow it. */
  readonly tail: string;
}

export interface FrontMeasures {
  readonly tokens: number;
  readonly idsShare: number;
  readonly uniqueShare: number;
  readonly requestRepeats: number;
  readonly factsKept: number;
  readonly factsLost: readonly string[];
}

export interface MeasureOptions {
  /** All messages of the user so far. */
  readonly userTexts: readonly string[];
  /** The newest message of the user that the front covers. */
  readonly request: string;
}

export function measureFront(front: Front, { userTexts, request }: MeasureOptions): FrontMeasures {
  const tokens = realTokens(front.text);
  const shown = userTexts.filter((text) => collapseSpaces(front.text).includes(longestSentence(text)));
  const lost = readFacts().filter(({ proofs }) => !proofs.some((proof) => proves(proof, front)));
  return {
    tokens,
    idsShare: countIdTokens(front.text) / tokens,
    uniqueShare: 1 - repeatedShare(front.summary, shown),
    requestRepeats: countOccurrences(collapseSpaces(front.text), longestSentence(request)),
    factsKept: 1 - lost.length / readFacts().length,
    factsLost: lost.map(({ fact }) => fact),
  };
}

function countIdTokens(text: string): number {
  return (text.match(ID) ?? []).reduce((sum, id) => sum + realTokens(id), 0);
}

const REFERENCE = "(?:entry:[\\w-]+|blob:[0-9a-f]+|#\\d+|[0-9a-f]{16,}(?:-\\d+)*)";
/** A citation with its brackets, or a reference that stands alone. */
const ID = new RegExp(`[[(]${REFERENCE}(?:, ?${REFERENCE})*[\\])]|${REFERENCE}`, "g");

/** Of the tokens of a summary's lines, the share of lines that say what a message of the user says. */
function repeatedShare(summary: string, texts: readonly string[]): number {
  const messages = texts.map((text) => new Set(longWords(text)));
  const lines = summary.split("\n").filter((line) => /\S/.test(line) && !/^\s*(?:#|---|\*\*Turn)/.test(line));
  const isRepeated = (line: string): boolean => {
    const words = longWords(line.replaceAll(ID, ""));
    const most = Math.max(0, ...messages.map((message) => words.filter((word) => message.has(word)).length));
    return words.length > 0 && most >= REPEATED * words.length;
  };
  const sum = (of: readonly string[]): number => of.reduce((total, line) => total + realTokens(line), 0);
  return lines.length === 0 ? 0 : sum(lines.filter(isRepeated)) / sum(lines);
}

const REPEATED = 0.6;

/** Words over three letters. */
function longWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

/** Without the sign at its end, which a quotation may lack. */
export function longestSentence(text: string): string {
  const sentences = collapseSpaces(text).split(/(?<=[.!?]) /);
  const [longest = ""] = sentences.toSorted((one, other) => other.length - one.length);
  return longest.replace(/[.!?]$/, "");
}

function countOccurrences(text: string, sentence: string): number {
  return sentence === "" ? 0 : text.split(sentence).length - 1;
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

interface Fact {
  readonly fact: string;
  /** Regular expressions; any of them proves it. */
  readonly proofs: readonly string[];
}

let facts: readonly Fact[] | null = null;

function readFacts(): readonly Fact[] {
  facts ??= JSON.parse(readFileSync(join(import.meta.dirname, "facts.json"), "utf8")) as readonly Fact[];
  return facts;
}

function proves(proof: string, { text, tail }: Front): boolean {
  const pattern = new RegExp(proof, "i");
  return pattern.test(text) || pattern.test(tail);
}
