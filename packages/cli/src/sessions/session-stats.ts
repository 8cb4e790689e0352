/** Counts the entries, usage, cost and compactions of a session, and formats them as a report. */

import { setImmediate as nextTick } from "node:timers/promises";
import { type CompactionEntry, type Entry, type Receipt, readReceipt, type Session } from "@pith/context";
import { addToTotals, usageOfEntry, zeroTotals } from "@pith/context/host";
import { readSessionTotals } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { type ContextTokens, formatContextTokens, formatCost, formatCount, formatNumber } from "@pith/host/text/format";
import { readBranch } from "./tree-lines.ts";

type SessionTotals = typeof zeroTotals;

/** Counts all branches. Null if the file cannot be read. */
export async function countSessionTotals(session: Session, path: string | null): Promise<SessionTotals | null> {
  if (path === null) return await sumEntriesInMemory(session);
  const result = await readSessionTotals(path);
  return result.type === "counted" ? result.totals : null;
}

async function sumEntriesInMemory({ store }: Session): Promise<SessionTotals> {
  let totals = zeroTotals;
  const stack = [...(await store.children(null))];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    totals = addToTotals(totals, entry);
    stack.push(...(await store.children(entry.id)));
  }
  return totals;
}

/** The cost of a session over all branches. It is counted once from the file, then updated with every new entry, and never decreases. */
export class SessionCost {
  #countedCost = 0;
  #addedCost = 0;
  #writeCount = 0;
  #isCounted = false;

  /** Null before the first count. */
  get cost(): number | null {
    return this.#isCounted ? this.#countedCost + this.#addedCost : null;
  }

  add(entries: readonly Entry[]): void {
    this.#writeCount += 1;
    for (const entry of entries) this.#addedCost += readEntryCost(entry);
  }

  /** Returns false if entries were written during the count: they may or may not be included, so the caller must count again. */
  async count(session: Session, path: string | null): Promise<boolean> {
    const writeCount = this.#writeCount;
    const totals = await countSessionTotals(session, path);
    if (!totals) return true;
    // An entry may be in the file before `add` is called for it. It would then be counted twice.
    await session.loadState();
    if (writeCount !== this.#writeCount) return false;
    this.#countedCost = totals.usage.cost.total;
    this.#addedCost = 0;
    this.#isCounted = true;
    return true;
  }
}

function readEntryCost(entry: Entry): number {
  const cost = usageOfEntry(entry)?.usage.cost?.total ?? 0;
  return Number.isFinite(cost) ? cost : 0;
}

export interface SessionReport {
  /** Null if the session is not saved. */
  readonly file: string | null;
  readonly id: string;
  readonly name: string | null;
  readonly cwd: string;
  readonly parentSession: string | null;
  /** Null if the session has too many entries to count them. */
  readonly branches: number | null;
  readonly totals: SessionTotals | null;
  readonly context: ContextTokens & { readonly limit: number | null };
  readonly model: string;
}

export function formatSessionReport(report: SessionReport): string {
  const { file, id, name, cwd, parentSession, branches, totals, context, model } = report;
  const limitText = context.limit === null ? "" : ` of ${formatNumber(context.limit)}`;
  const lines: readonly (readonly [string, string | null])[] = [
    ["file", file ?? "not saved (--no-session)"],
    ["id", id],
    ["name", name],
    ["folder", cwd],
    ["parent", parentSession],
    ["model", model],
    ["context", `${formatContextTokens(context)}${limitText} tokens (/context)`],
    ["branches", branches === null ? "many" : String(branches)],
    ["contents", totals ? formatContents(totals) : null],
    ["cost", totals ? formatUsage(totals) : null],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [`${label.padEnd(10)}  ${value}`])).join("\n");
}

function formatContents(totals: SessionTotals): string {
  return [
    formatCount(totals.entries, "entry", "entries"),
    formatCount(totals.userMessages, "user message"),
    formatCount(totals.assistantMessages, "reply", "replies"),
    formatCount(totals.toolCalls, "tool call"),
    formatCount(totals.compactions, "compaction"),
    formatCount(totals.branchSummaries, "branch summary", "branch summaries"),
  ].join(", ");
}

function formatUsage({ usage, spent }: SessionTotals): string {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cachedText = usage.cacheRead > 0 ? ` (${formatNumber(usage.cacheRead)} from the cache)` : "";
  const totalCost = usage.cost.total > 0 ? [formatCost(usage.cost.total)] : [];
  const summaryCost =
    spent.summaries.cost.total > 0 ? [`including ${formatCost(spent.summaries.cost.total)} for summaries`] : [];
  return [
    `${formatNumber(input)} tokens in${cachedText}`,
    `${formatNumber(usage.output)} out`,
    ...totalCost,
    ...summaryCost,
  ].join(", ");
}

export interface CompactionCounts {
  readonly compactions: number;
  /** The number of entries that the summaries replace. Null if another program wrote one of the compactions. */
  readonly entries: number | null;
}

const noCompactions: CompactionCounts = { compactions: 0, entries: 0 };

/** Counts compactions. It caches each count, so that every part of a session is read once, and reads in chunks, so that typing is not blocked. */
export class CompactionCounter {
  readonly #counts = new Map<string, CompactionCounts>();

  /** Counts this compaction and all before it on its branch. */
  async countTo(last: CompactionEntry, store: Store): Promise<CompactionCounts> {
    const newCompactions: CompactionEntry[] = [];
    let next: CompactionEntry | undefined = last;
    while (next && !this.#counts.has(next.id)) {
      newCompactions.unshift(next);
      next = await findPreviousCompaction(next, store);
    }
    let counts = (next && this.#counts.get(next.id)) ?? noCompactions;
    for (const compaction of newCompactions) {
      counts = addCompaction(counts, compaction);
      this.#counts.set(compaction.id, counts);
    }
    return counts;
  }
}

async function findPreviousCompaction({ parentId }: Entry, store: Store): Promise<CompactionEntry | undefined> {
  for (let id = parentId; id !== null; ) {
    const chunk = await readBranch(id, store, CHUNK_ENTRIES);
    const compaction = chunk.findLast((entry) => entry.type === "compaction");
    if (compaction) return compaction;
    id = chunk[0]?.parentId ?? null;
    await nextTick();
  }
  return undefined;
}

const CHUNK_ENTRIES = 200;

function addCompaction({ compactions, entries }: CompactionCounts, compaction: CompactionEntry): CompactionCounts {
  const { covered, fromOriginals } = Object(readReceipt(compaction)) as Partial<Receipt>;
  const count: unknown = Object(covered).count;
  // A summary from the originals covers the entries of earlier compactions again.
  const entriesBefore = fromOriginals === true ? 0 : entries;
  const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  return { compactions: compactions + 1, entries: entriesBefore === null || !isCount ? null : entriesBefore + count };
}
