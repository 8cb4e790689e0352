/** Splits a compaction summary into its parts by their recorded lengths, never by their text. */

import { type CompactionEntry, readPithDetails } from "../entry.ts";

/** One part of a compaction summary. */
export interface SummaryPartInfo {
  /** One of `SummaryPartKind`, or the kind of a part that a host added. */
  readonly kind: string;
  /** The length in characters. The part starts where the previous part ends. */
  readonly length: number;
  readonly tokens: number;
}

/** The kinds of parts, in order. The parts that change least come first, so that the prefix stays cached between compactions. */
export type SummaryPartKind = "pins" | "words" | "omitted" | "story" | "notes" | "ledger" | "recall" | "request";

/** Reads the parts of a summary. Returns an empty list if Pith did not write it, or if the lengths do not match the summary. */
export function readSummaryParts({ summary, details }: CompactionEntry): readonly SummaryPartInfo[] {
  const { front: parts } = readPithDetails(details);
  if (!Array.isArray(parts) || !parts.every(isSummaryPart)) return [];
  return parts.reduce((sum, { length }) => sum + length, 0) === summary.length ? parts : [];
}

/** One part of a summary with its text. */
export interface SummaryPartText {
  readonly part: SummaryPartInfo;
  readonly text: string;
}

/** Reads the parts of a summary with their texts, in order. */
export function readSummaryPartTexts(compaction: CompactionEntry): readonly SummaryPartText[] {
  let offset = 0;
  return readSummaryParts(compaction).map((part) => {
    const text = compaction.summary.slice(offset, offset + part.length);
    offset += part.length;
    return { part, text };
  });
}

/** Returns the lengths of the text blocks that a summary is sent as: one per stable part, then one for the rest. */
export function summaryBlockLengths(compaction: CompactionEntry): readonly number[] {
  const parts = readSummaryParts(compaction);
  const firstChanging = parts.findIndex(({ kind }) => !isStablePart(kind));
  const stableCount = firstChanging === -1 ? parts.length : firstChanging;
  const stable = parts.slice(0, stableCount).map(({ length }) => length);
  const checkpoint = parts.slice(stableCount).reduce((sum, { length }) => sum + length, 0);
  return checkpoint > 0 ? [...stable, checkpoint] : stable;
}

const isStablePart = (kind: string): boolean => kind === "pins" || kind === "words";

function isSummaryPart(value: unknown): value is SummaryPartInfo {
  const { kind, length, tokens } = Object(value) as Readonly<Record<string, unknown>>;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && Number(count) >= 0;
  return typeof kind === "string" && kind !== "" && isCount(length) && length !== 0 && isCount(tokens);
}
