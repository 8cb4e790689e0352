/** A report on a context as text: a bar for the whole, one for each part, and what comes next. */

import { amount } from "../../printing/amounts.ts";
import { breakdownText } from "./breakdown-text.ts";
import type { ContextPart } from "./context-parts.ts";
import type { ContextReport } from "./context-report.ts";

export function contextText(report: ContextReport): string {
  const { tokens, limit, parts } = report;
  const full = limit === null ? null : tokens / limit;
  const head =
    limit === null ? `${amount(tokens)} tokens of a window nobody knows` : `${bar(full ?? 0, WIDE)} ${headOf(report)}`;
  const widest = Math.max(0, ...parts.map(({ kind }) => kind.length));
  const filled = parts.length === 0 ? [] : ["", ...places(parts, { tokens, widest })];
  return [head, ...filled, ...breakdownText(report), "", ...contextNext(report)].join("\n");
}

function headOf({ tokens, limit, contextWindow }: ContextReport): string {
  const percent = limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
  return `${amount(tokens)} of ${amount(limit ?? 0)} tokens (${percent} %; the window has ${amount(contextWindow)})`;
}

interface Scale {
  readonly tokens: number;
  readonly widest: number;
}

const headings = { system: "System", front: "Front (kept by compactions)", tail: "As it was said" } as const;

function places(parts: readonly ContextPart[], scale: Scale): readonly string[] {
  return (["system", "front", "tail"] as const).flatMap((place) => {
    const here = parts.filter((part) => part.place === place);
    return here.length === 0 ? [] : [headings[place], ...here.map((part) => lineOf(part, scale))];
  });
}

function lineOf({ kind, tokens }: ContextPart, { tokens: all, widest }: Scale): string {
  return `  ${kind.padEnd(widest)} ${amount(tokens).padStart(9)}  ${bar(tokens / Math.max(1, all), NARROW).trimEnd()}`.trimEnd();
}

/** How it was counted, and what comes next. */
export function contextNext({
  tokens,
  measured,
  limit,
  soft,
  isAutomatic,
  held,
  afterCompaction,
}: ContextReport): readonly string[] {
  const when = limit === null ? "when the provider refuses a request as too long" : `above ${amount(limit)} tokens`;
  const warned = soft === null ? "" : `; you are told from ${amount(soft)} on`;
  const frees = afterCompaction === null ? null : Math.max(0, tokens - afterCompaction);
  return [
    countedBy(tokens, measured),
    isAutomatic ? `Compacted by itself ${when}${warned}.` : "Nothing is compacted by itself (/autocompact on).",
    ...(held === null || held === "off" ? [] : [`It is not now: ${holds[held]}.`]),
    frees === null
      ? "There is nothing to compact."
      : `A compaction now would free about ${amount(frees)} tokens (/compact --preview).`,
  ];
}

function countedBy(tokens: number, measured: number): string {
  if (measured === 0) return "This is an estimate: no reply has measured it yet.";
  if (measured >= tokens) return "Measured by the last reply.";
  return `Of these ${amount(measured)} were measured by the last reply, the rest is estimated.`;
}

const holds = {
  undone: "a compaction was undone, and the context has hardly grown since",
  breaker: "compactions no longer help; see what fills the window",
} as const;

/** Of `width` signs; a part that is there at all shows. */
function bar(share: number, width: number): string {
  const filled = Math.min(width, Math.round(share * width));
  const empty = width === WIDE ? "░" : " ";
  return filled === 0 && share > 0
    ? `▏${empty.repeat(width - 1)}`
    : `${"█".repeat(filled)}${empty.repeat(width - filled)}`;
}

const WIDE = 30;
const NARROW = 20;
