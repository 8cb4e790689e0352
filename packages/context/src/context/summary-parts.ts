/** Splits a compaction summary into its parts by their recorded lengths, never by their text. */

import type { CompactionEntry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";

/** One part of a compaction summary. */
export interface SummaryPartInfo {
  readonly kind: SummaryPartKind;
  /** The length in characters. The part starts where the previous part ends. */
  readonly length: number;
  readonly tokens: number;
}

/** The kinds of parts, in order. The parts that change least come first, so that the prefix stays cached between compactions. */
export type SummaryPartKind = "pins" | "words" | "story" | "notes" | "ledger" | "recall" | "request";

const SUMMARY_PART_KINDS: readonly SummaryPartKind[] = [
  "pins",
  "words",
  "story",
  "notes",
  "ledger",
  "recall",
  "request",
];

/** Reads the parts of a summary. Returns an empty list if Pith did not write it, or if the lengths do not match the summary. */
export function readSummaryParts({ summary, details }: CompactionEntry): readonly SummaryPartInfo[] {
  const { front: parts } = readPithDetails(details);
  if (!Array.isArray(parts) || !parts.every(isSummaryPart)) return [];
  return parts.reduce((sum, { length }) => sum + length, 0) === summary.length ? parts : [];
}

/** Reads the parts of a summary with their texts, in order. */
export function readSummaryPartTexts(
  compaction: CompactionEntry,
): readonly { readonly part: SummaryPartInfo; readonly text: string }[] {
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
  const stableLengths = parts.filter(({ kind }) => isStablePart(kind)).map(({ length }) => length);
  const restLength = parts.filter(({ kind }) => !isStablePart(kind)).reduce((sum, { length }) => sum + length, 0);
  return restLength > 0 ? [...stableLengths, restLength] : stableLengths;
}

const isStablePart = (kind: SummaryPartKind): boolean => kind === "pins" || kind === "words";

function isSummaryPart(value: unknown): value is SummaryPartInfo {
  const { kind, length, tokens } = Object(value) as Readonly<Record<string, unknown>>;
  return (
    SUMMARY_PART_KINDS.some((known) => known === kind) &&
    isNonNegativeInteger(length) &&
    length > 0 &&
    isNonNegativeInteger(tokens)
  );
}

function isNonNegativeInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
