/** Splits a compaction summary into its parts, by their recorded lengths and never by their text. */

import type { CompactionEntry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";

export interface SummaryPartInfo {
  readonly kind: SummaryPartKind;
  /** Letters of the summary, from where the part before it ends. */
  readonly length: number;
  readonly tokens: number;
}

/** In this order: what changes least comes first, so that the front stays cached from one compaction to the next. */
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

/** Empty where the summary is not ours, or the parts do not add up to it. */
export function readSummaryParts({ summary, details }: CompactionEntry): readonly SummaryPartInfo[] {
  const { front: parts } = readPithDetails(details);
  if (!Array.isArray(parts) || !parts.every(isSummaryPart)) return [];
  return parts.reduce((sum, { length }) => sum + length, 0) === summary.length ? parts : [];
}

/** The texts of these parts, in order. */
export function readSummaryPartTexts(
  compaction: CompactionEntry,
): readonly { readonly part: SummaryPartInfo; readonly text: string }[] {
  let index = 0;
  return readSummaryParts(compaction).map((part) => {
    const text = compaction.summary.slice(index, index + part.length);
    index += part.length;
    return { part, text };
  });
}

/** The lengths of the text blocks it is sent as: each part that stays for long is one, the checkpoint is the last. */
export function summaryBlockLengths(compaction: CompactionEntry): readonly number[] {
  const parts = readSummaryParts(compaction);
  const stable = parts.filter(({ kind }) => isStablePart(kind)).map(({ length }) => length);
  const checkpoint = parts.filter(({ kind }) => !isStablePart(kind)).reduce((sum, { length }) => sum + length, 0);
  return checkpoint > 0 ? [...stable, checkpoint] : stable;
}

const isStablePart = (kind: SummaryPartKind): boolean => kind === "pins" || kind === "words";

function isSummaryPart(value: unknown): value is SummaryPartInfo {
  const { kind, length, tokens } = Object(value) as Readonly<Record<string, unknown>>;
  return (
    SUMMARY_PART_KINDS.some((each) => each === kind) &&
    isNonNegativeInteger(length) &&
    length > 0 &&
    isNonNegativeInteger(tokens)
  );
}

function isNonNegativeInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
