/** Reports what fills a context and how full it is, as data and as text, for `/context`, `pith context` and programs. */

import {
  type Budget,
  type CompactionPreview,
  compactionDue,
  contextSize,
  type LoadedBranch,
  previewCompaction,
} from "@pith/context";
import { shortId } from "../sessions/entries.ts";
import { amount, counted, formatContextTokens } from "../text/format.ts";
import {
  type BigEntry,
  biggest,
  byFile,
  byTool,
  type ContextPart,
  contextParts,
  type FileWeight,
  type ToolWeight,
} from "./breakdown.ts";
import { entryWeights } from "./meter.ts";

export interface ContextReport {
  readonly tokens: number;
  /** Whether no reply has measured any of it yet, or none since a compaction or an edit. */
  readonly isEstimate: boolean;
  /** Of those, by the last reply; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  /** More than this is too much; null in a window nobody knows. */
  readonly limit: number | null;
  /** From here on it is told that it fills up. */
  readonly soft: number | null;
  readonly isAutomatic: boolean;
  /** Why nothing would happen by itself although it is too much; null where it would, or need not. */
  readonly held: "off" | "undone" | "breaker" | null;
  readonly parts: readonly ContextPart[];
  /** Of what tools said, by tool and by file; the most first. */
  readonly tools: readonly ToolWeight[];
  readonly files: readonly FileWeight[];
  /** The entries that fill it most, and what becomes free without each. */
  readonly biggest: readonly BigEntry[];
  /** What a compaction would leave, if code alone told it; null where there is nothing to compact. */
  readonly afterCompaction: number | null;
}

export function contextReport(window: LoadedBranch, budget: Budget): ContextReport {
  const { tokens, isEstimate, measured } = contextSize(window, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  const state = compactionDue(window, budget);
  const preview = previewCompaction(window, budget);
  return {
    ...breakdown(window, budget, preview),
    tokens,
    isEstimate,
    measured,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: contextParts(window, budget),
    afterCompaction: preview.type === "planned" ? preview.receipt.tokens.after : null,
  };
}

function breakdown(
  window: LoadedBranch,
  budget: Budget,
  preview: CompactionPreview,
): Pick<ContextReport, "tools" | "files" | "biggest"> {
  const weights = entryWeights(window, budget);
  const covered = new Set(preview.type === "planned" ? preview.plan.covered.map(({ id }) => id) : []);
  return {
    tools: byTool(weights),
    files: byFile(weights, budget.tools).slice(0, MOST_FILES),
    biggest: biggest(weights, covered),
  };
}

const MOST_FILES = 50;

export function breakdownText({ tools, files, biggest }: ContextReport): readonly string[] {
  return [
    ...table(
      "By tool",
      tools.map(({ tool, results, tokens }) => ({ name: tool, tokens, more: counted(results, "result") })),
    ),
    ...table(
      "By file",
      files.map(({ path, results, tokens }) => ({ name: path, tokens, more: counted(results, "result") })),
    ),
    ...table(
      "Biggest entries",
      biggest.map(({ id, kind, words, tokens, frees }) => ({
        name: `${shortId(id)} ${kind}: ${words}`,
        tokens,
        more: freed(frees),
      })),
    ),
  ];
}

interface Row {
  readonly name: string;
  readonly tokens: number;
  readonly more: string;
}

function table(title: string, rows: readonly Row[]): readonly string[] {
  const shown = rows.filter(({ tokens }) => tokens > 0).slice(0, MOST);
  if (shown.length === 0) return [];
  const names = shown.map(({ name }) => cut(name));
  const widest = Math.max(...names.map((name) => name.length));
  const line = ({ tokens, more }: Row, at: number): string =>
    `  ${(names[at] ?? "").padEnd(widest)} ${amount(tokens).padStart(9)}  ${more}`;
  return [title, ...shown.map(line)];
}

const MOST = 5;

/** Of a path its end tells most, of everything else its beginning. */
function cut(name: string): string {
  if (name.length <= WIDEST) return name;
  return name.includes(" ") ? `${name.slice(0, WIDEST - 1)}…` : `…${name.slice(1 - WIDEST)}`;
}

const WIDEST = 48;

/** What becomes free without it. */
export function freed({ compaction, moving }: ContextReport["biggest"][number]["frees"]): string {
  const moved = `moving before it frees ${amount(moving)}`;
  return compaction > 0 ? `a compaction frees it; ${moved}` : `a compaction keeps it; ${moved}`;
}

export function contextText(report: ContextReport): string {
  const { tokens, limit, parts } = report;
  const full = limit === null ? null : tokens / limit;
  const head =
    limit === null
      ? `${formatContextTokens(report)} tokens of a window nobody knows`
      : `${bar(full ?? 0, WIDE)} ${headOf(report)}`;
  const widest = Math.max(0, ...parts.map(({ kind }) => kind.length));
  const filled = parts.length === 0 ? [] : ["", ...places(parts, { tokens, widest })];
  return [head, ...filled, ...breakdownText(report), "", ...contextNext(report)].join("\n");
}

function headOf(report: ContextReport): string {
  const { tokens, limit, contextWindow } = report;
  const percent = limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
  return `${formatContextTokens(report)} of ${amount(limit ?? 0)} tokens (${percent} %; the window has ${amount(contextWindow)})`;
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
