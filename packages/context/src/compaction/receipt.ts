/** What a compaction did and cost; it lies in the compaction itself, so that nobody has to believe it. */

import type { CompactionEntry, Entry } from "../entry.ts";
import type { FlawCode } from "../summary/auditing/flaw.ts";
import type { Rung } from "./planning/rungs.ts";

export interface Receipt {
  readonly reason: Reason;
  /** Who wrote the summary: `model`, `hook`, `model-free`, … */
  readonly route: string;
  /** The model that did, as `provider/model`. */
  readonly by: string | null;
  readonly rung: Rung["name"];
  readonly covered: Stretch;
  readonly kept: Stretch;
  /** By the one estimator. */
  readonly tokens: { readonly before: number; readonly after: number; readonly limit: number | null };
  readonly bytes: { readonly before: number; readonly after: number };
  readonly calls: number;
  readonly cost: number;
  readonly durationMs: number;
  readonly findings: readonly Finding[];
  /** Compactions in a row, this one included, that freed too little. */
  readonly withoutProgress: number;
  /** Moving here undoes it; null: to before the first entry. */
  readonly undoTo: string | null;
}

/** Asked for by somebody; due by the threshold; after a refusal of the provider; before a model with a smaller window. */
export type Reason = "asked" | "due" | "overflow" | "model-switch";

/** Entries of one branch that follow each other: the ends say which they are. */
export interface Stretch {
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
}

export interface Finding {
  readonly code: FindingCode;
  /** For people. */
  readonly note: string;
}

export type FindingCode =
  | FlawCode
  | "words-evicted"
  | "words-shortened"
  | "result-reduced"
  | "not-covered"
  | "no-gain"
  | "does-not-fit"
  | "writer-failed"
  | "hook-failed"
  | "spend-limit";

export function stretch(entries: readonly Entry[]): Stretch {
  return { first: entries[0]?.id ?? null, last: entries.at(-1)?.id ?? null, count: entries.length };
}

/** The receipt of a compaction; null for one that is not ours. It comes from a file: only what is asked of it here is checked. */
export function receiptOf({ details }: CompactionEntry): Receipt | null {
  const receipt = (details as { readonly pith?: { readonly receipt?: unknown } } | null | undefined)?.pith?.receipt;
  const { route, withoutProgress, tokens } = Object(receipt) as Partial<Receipt>;
  const isOurs = typeof route === "string" && typeof withoutProgress === "number" && typeof tokens?.after === "number";
  return isOurs ? (receipt as Receipt) : null;
}
