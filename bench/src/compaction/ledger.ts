/** Computes what the compactions of a task cost, from the usage that the server counted for each request. */

import type { ServedRequest } from "@pith/testkit";
import { findShownLines, LINE_LENGTH, type RequestKind } from "./task.ts";

/** One request of a task, as the server counted it, in tokens. */
export interface LedgerRow {
  readonly kind: RequestKind;
  /** Input that was not read from the cache, including what was written to it. */
  readonly uncached: number;
  readonly cached: number;
  readonly output: number;
  /** The lines of the task's files that the request shows. */
  readonly lines: ReadonlySet<string>;
}

export function toLedger(requests: readonly ServedRequest[], kinds: readonly RequestKind[]): readonly LedgerRow[] {
  return requests.map(({ usage, outcome, why, body }, index) => {
    const kind = kinds[index];
    if (outcome !== "said" || !usage || !kind) throw new Error(`request ${index + 1} was not answered: ${why}`);
    return {
      kind,
      uncached: usage.input + usage.cacheWrite,
      cached: usage.cacheRead,
      output: usage.output,
      lines: findShownLines(body),
    };
  });
}

/** The costs of a whole task. Figures per compaction are averages. */
export interface TaskCosts {
  readonly compactions: number;
  readonly requestsPerCompaction: number;
  /** The tokens of the smallest context that was compacted: the last request, its reply and the new result. */
  readonly contextTokens: number;
  /** The share of the input of all summary requests that was read from the cache. */
  readonly cachedShare: number;
  /** Uncached input plus a tenth of the cached input, per compaction. */
  readonly summaryEquivalent: number;
  readonly summaryOutput: number;
  /** The share of the lines leaving the context that the summary requests show. */
  readonly seenShare: number;
  /** Uncached input of the first request after each compaction, of the whole task. */
  readonly rebuiltUncached: number;
  readonly taskEquivalent: number;
}

export function computeCosts(rows: readonly LedgerRow[]): TaskCosts {
  const compactions = listCompactions(rows);
  const summaries = compactions.flatMap((compaction) => compaction.summaries);
  const count = Math.max(1, compactions.length);
  return {
    compactions: compactions.length,
    requestsPerCompaction: summaries.length / count,
    contextTokens: Math.min(...compactions.map(computeContext)),
    cachedShare: sum(summaries, ({ cached }) => cached) / sum(summaries, inputTokens),
    summaryEquivalent: sum(summaries, computeEquivalent) / count,
    summaryOutput: sum(summaries, ({ output }) => output) / count,
    seenShare: computeSeenShare(compactions),
    rebuiltUncached: sum(compactions, ({ rebuilt }) => rebuilt.uncached),
    taskEquivalent: sum(rows, computeEquivalent),
  };
}

interface Compaction {
  /** The last working request before it. */
  readonly before: LedgerRow;
  readonly summaries: readonly LedgerRow[];
  /** The first working request after it. */
  readonly rebuilt: LedgerRow;
}

/** A compaction is where lines leave the context. It may ask several times for its summary, and work may go on until the summary is used. */
function listCompactions(rows: readonly LedgerRow[]): readonly Compaction[] {
  const compactions: Compaction[] = [];
  let summaries: LedgerRow[] = [];
  let before: LedgerRow | undefined;
  for (const row of rows) {
    if (row.kind === "summary") {
      summaries.push(row);
      continue;
    }
    if (before && listMissing(before.lines, row.lines).length > 0) {
      compactions.push({ before, summaries, rebuilt: row });
      summaries = [];
    }
    before = row;
  }
  return compactions;
}

function computeContext({ before, rebuilt }: Compaction): number {
  const newLines = listMissing(rebuilt.lines, before.lines);
  return inputTokens(before) + before.output + (newLines.length * LINE_LENGTH) / BYTES_PER_TOKEN;
}

/** As the server counts. */
const BYTES_PER_TOKEN = 4;

function computeSeenShare(compactions: readonly Compaction[]): number {
  const removed = compactions.flatMap(({ before, summaries, rebuilt }) =>
    listMissing(before.lines, rebuilt.lines).map((line) => summaries.some(({ lines }) => lines.has(line))),
  );
  return removed.filter(Boolean).length / removed.length;
}

/** Lists the lines of the first set that the second does not have. */
function listMissing(lines: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...lines].filter((line) => !others.has(line));
}

function inputTokens({ uncached, cached }: LedgerRow): number {
  return uncached + cached;
}

function computeEquivalent({ uncached, cached }: LedgerRow): number {
  return uncached + CACHED_PRICE * cached;
}

/** The usual price of cached input, as a share of the price of uncached input. */
const CACHED_PRICE = 0.1;

function sum<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((total, item) => total + toNumber(item), 0);
}
