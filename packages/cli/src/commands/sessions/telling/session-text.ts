/** A report on a session as text. */

import type { SessionTotals } from "@pith/context";
import { amount, costTold, counted } from "../../../printing/amounts.ts";

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
  readonly context: { readonly tokens: number; readonly limit: number | null };
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
    ["context", `${amount(context.tokens)}${room} tokens (/context)`],
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
