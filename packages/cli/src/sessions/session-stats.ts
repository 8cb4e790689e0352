/** Counts what a session contains and has cost over all its branches, and formats it as a report. */

import type { Entry, Session } from "@pith/context";
import { addToTotals, usageOfEntry, zeroTotals } from "@pith/context/host";
import { readSessionTotals } from "@pith/context/node";
import { amount, type ContextTokens, costTold, counted, formatContextTokens } from "../text/format.ts";

type SessionTotals = typeof zeroTotals;

/** Null where the file cannot be read. */
export async function sessionSums(session: Session, path: string | null): Promise<SessionTotals | null> {
  if (path === null) return await summed(session);
  const counted = await readSessionTotals(path);
  return counted.type === "counted" ? counted.totals : null;
}

/** One that is only in memory. */
async function summed({ store }: Session): Promise<SessionTotals> {
  let totals = zeroTotals;
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    totals = addToTotals(totals, entry);
    waiting.push(...(await store.children(entry.id)));
  }
  return totals;
}

/** Counted once from the file, then updated with every entry that is written. It never falls. */
export class SessionCost {
  #counted = 0;
  #since = 0;
  #writes = 0;
  #isCounted = false;

  /** Null until it was counted. */
  get cost(): number | null {
    return this.#isCounted ? this.#counted + this.#since : null;
  }

  add(entries: readonly Entry[]): void {
    this.#writes += 1;
    for (const entry of entries) this.#since += costOf(entry);
  }

  /** False where something was written meanwhile, which may be in the count or not; then it must be counted again. */
  async count(session: Session, path: string | null): Promise<boolean> {
    const writes = this.#writes;
    const totals = await sessionSums(session, path);
    if (!totals) return true;
    // What was counted may not have been told of yet; it would be added to a count that has it already.
    await session.loadState();
    if (writes !== this.#writes) return false;
    this.#counted = totals.usage.cost.total;
    this.#since = 0;
    this.#isCounted = true;
    return true;
  }
}

function costOf(entry: Entry): number {
  const cost = usageOfEntry(entry)?.usage.cost?.total ?? 0;
  return Number.isFinite(cost) ? cost : 0;
}

export interface SessionReport {
  /** Null where nothing is kept. */
  readonly file: string | null;
  readonly id: string;
  readonly name: string | null;
  readonly cwd: string;
  readonly parentSession: string | null;
  /** Null where there are too many entries to look at. */
  readonly branches: number | null;
  readonly totals: SessionTotals | null;
  readonly context: ContextTokens & { readonly limit: number | null };
  readonly model: string;
}

export function sessionText(report: SessionReport): string {
  const { file, id, name, cwd, parentSession, branches, totals, context, model } = report;
  const room = context.limit === null ? "" : ` of ${amount(context.limit)}`;
  const lines: readonly (readonly [string, string | null])[] = [
    ["file", file ?? "nothing is kept (--no-session)"],
    ["id", id],
    ["name", name],
    ["folder", cwd],
    ["comes from", parentSession],
    ["model", model],
    ["context", `${formatContextTokens(context)}${room} tokens (/context)`],
    ["branches", branches === null ? "many" : String(branches)],
    ["holds", totals ? holdings(totals) : null],
    ["has cost", totals ? costs(totals) : null],
  ];
  return lines.flatMap(([word, value]) => (value === null ? [] : [`${word.padEnd(10)}  ${value}`])).join("\n");
}

function holdings(totals: SessionTotals): string {
  return [
    counted(totals.entries, "entry", "entries"),
    `${counted(totals.userMessages, "message")} of yours`,
    counted(totals.assistantMessages, "reply", "replies"),
    `${counted(totals.toolCalls, "call")} of tools`,
    counted(totals.compactions, "compaction"),
    counted(totals.branchSummaries, "branch summary", "branch summaries"),
  ].join(", ");
}

function costs({ usage, spent }: SessionTotals): string {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = usage.cacheRead > 0 ? ` (${amount(usage.cacheRead)} from the cache)` : "";
  const price = usage.cost.total > 0 ? [costTold(usage.cost.total)] : [];
  const told = spent.summaries.cost.total > 0 ? [`of that ${costTold(spent.summaries.cost.total)} for summaries`] : [];
  return [`${amount(input)} tokens in${cached}`, `${amount(usage.output)} out`, ...price, ...told].join(", ");
}
