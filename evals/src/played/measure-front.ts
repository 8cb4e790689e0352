/** Measures the front of a context after a compaction: its size, ids, repetitions and remaining facts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countRealTokens } from "@pith/bench/real-tokens";

/** The context of a model after a compaction. */
export interface ContextFront {
  /** The whole summary message. */
  readonly text: string;
  /** The part of the summary message that a model wrote. */
  readonly summary: string;
  /** All text of the messages after the summary. */
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
  /** The last message of the user that the front covers. */
  readonly request: string;
}

export function measureFront(front: ContextFront, { userTexts, request }: MeasureOptions): FrontMeasures {
  const tokens = countRealTokens(front.text);
  const shownTexts = userTexts.filter((text) => collapseSpaces(front.text).includes(findLongestSentence(text)));
  const lostFacts = readFacts().filter(({ proofs }) => !proofs.some((proof) => matchesProof(proof, front)));
  return {
    tokens,
    idsShare: countIdTokens(front.text) / tokens,
    uniqueShare: 1 - measureRepetition(front.summary, shownTexts),
    requestRepeats: countOccurrences(collapseSpaces(front.text), findLongestSentence(request)),
    factsKept: 1 - lostFacts.length / readFacts().length,
    factsLost: lostFacts.map(({ fact }) => fact),
  };
}

function countIdTokens(text: string): number {
  return (text.match(ID_PATTERN) ?? []).reduce((sum, id) => sum + countRealTokens(id), 0);
}

const REFERENCE_PATTERN = "(?:entry:[\\w-]+|blob:[0-9a-f]+|#\\d+|[0-9a-f]{16,}(?:-\\d+)*)";
/** A citation with its brackets, or a reference without brackets. */
const ID_PATTERN = new RegExp(`[[(]${REFERENCE_PATTERN}(?:, ?${REFERENCE_PATTERN})*[\\])]|${REFERENCE_PATTERN}`, "g");

/** The share of a summary's tokens in lines that repeat a message of the user. */
function measureRepetition(summary: string, texts: readonly string[]): number {
  const messages = texts.map((text) => new Set(listLongWords(text)));
  const lines = summary.split("\n").filter((line) => /\S/.test(line) && !/^\s*(?:#|---|\*\*Turn)/.test(line));
  const isRepeated = (line: string): boolean => {
    const lineWords = listLongWords(line.replaceAll(ID_PATTERN, ""));
    const maxShared = Math.max(0, ...messages.map((message) => lineWords.filter((word) => message.has(word)).length));
    return lineWords.length > 0 && maxShared >= REPEATED_SHARE * lineWords.length;
  };
  const sum = (list: readonly string[]): number => list.reduce((total, line) => total + countRealTokens(line), 0);
  return lines.length === 0 ? 0 : sum(lines.filter(isRepeated)) / sum(lines);
}

const REPEATED_SHARE = 0.6;

/** Lists the words of more than three letters. */
function listLongWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

/** The final punctuation is removed, because a quotation may omit it. */
export function findLongestSentence(text: string): string {
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
  /** Regular expressions. One match proves that the fact is present. */
  readonly proofs: readonly string[];
}

let cachedFacts: readonly Fact[] | null = null;

function readFacts(): readonly Fact[] {
  cachedFacts ??= JSON.parse(readFileSync(join(import.meta.dirname, "facts.json"), "utf8")) as readonly Fact[];
  return cachedFacts;
}

function matchesProof(proof: string, { text, tail }: ContextFront): boolean {
  const pattern = new RegExp(proof, "i");
  return pattern.test(text) || pattern.test(tail);
}
