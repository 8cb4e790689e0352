/** Splits a compaction summary into its parts, by their recorded lengths and never by their text. */

import type { CompactionEntry } from "../entry.ts";

export interface FrontPart {
  readonly kind: FrontKind;
  /** Letters of the summary, from where the part before it ends. */
  readonly length: number;
  readonly tokens: number;
}

/** In this order: what changes least comes first, so that the front stays cached from one compaction to the next. */
export type FrontKind = "pins" | "words" | "story" | "notes" | "ledger" | "recall" | "request";

const kinds: readonly FrontKind[] = ["pins", "words", "story", "notes", "ledger", "recall", "request"];

/** Empty where the summary is not ours, or the parts do not add up to it. */
export function frontParts({ summary, details }: CompactionEntry): readonly FrontPart[] {
  const front = (details as { readonly pith?: { readonly front?: unknown } } | null | undefined)?.pith?.front;
  if (!Array.isArray(front) || !front.every(isPart)) return [];
  return front.reduce((sum, { length }) => sum + length, 0) === summary.length ? front : [];
}

/** The texts of these parts, in order. */
export function frontTexts(
  compaction: CompactionEntry,
): readonly { readonly part: FrontPart; readonly text: string }[] {
  let at = 0;
  return frontParts(compaction).map((part) => {
    const text = compaction.summary.slice(at, at + part.length);
    at += part.length;
    return { part, text };
  });
}

/** The lengths of the text blocks it is sent as: each part that stays for long is one, the checkpoint is the last. */
export function frontBlocks(compaction: CompactionEntry): readonly number[] {
  const parts = frontParts(compaction);
  const stable = parts.filter(({ kind }) => isStable(kind)).map(({ length }) => length);
  const checkpoint = parts.filter(({ kind }) => !isStable(kind)).reduce((sum, { length }) => sum + length, 0);
  return checkpoint > 0 ? [...stable, checkpoint] : stable;
}

const isStable = (kind: FrontKind): boolean => kind === "pins" || kind === "words";

function isPart(value: unknown): value is FrontPart {
  const { kind, length, tokens } = Object(value) as Readonly<Record<string, unknown>>;
  return kinds.some((each) => each === kind) && isCount(length) && length > 0 && isCount(tokens);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
