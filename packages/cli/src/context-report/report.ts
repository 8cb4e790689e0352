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
import { formatContextTokens, formatCount, formatNumber } from "../text/format.ts";
import {
  type BigEntry,
  type ContextPart,
  computeContextParts,
  type FileWeight,
  findBiggestEntries,
  groupByFile,
  groupByTool,
  type ToolWeight,
} from "./breakdown.ts";
import { computeEntryWeights } from "./meter.ts";

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

export function buildContextReport(branch: LoadedBranch, budget: Budget): ContextReport {
  const { tokens, isEstimate, measured } = contextSize(branch, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  const state = compactionDue(branch, budget);
  const preview = previewCompaction(branch, budget);
  return {
    ...buildBreakdown(branch, budget, preview),
    tokens,
    isEstimate,
    measured,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: computeContextParts(branch, budget),
    afterCompaction: preview.type === "planned" ? preview.receipt.tokens.after : null,
  };
}

function buildBreakdown(
  branch: LoadedBranch,
  budget: Budget,
  preview: CompactionPreview,
): Pick<ContextReport, "tools" | "files" | "biggest"> {
  const weights = computeEntryWeights(branch, budget);
  const coveredIds = new Set(preview.type === "planned" ? preview.plan.covered.map(({ id }) => id) : []);
  return {
    tools: groupByTool(weights),
    files: groupByFile(weights, budget.tools).slice(0, MAX_FILES),
    biggest: findBiggestEntries(weights, coveredIds),
  };
}

const MAX_FILES = 50;

export function formatBreakdown({ tools, files, biggest }: ContextReport): readonly string[] {
  return [
    ...formatTable(
      "By tool",
      tools.map(({ tool, results, tokens }) => ({ name: tool, tokens, more: formatCount(results, "result") })),
    ),
    ...formatTable(
      "By file",
      files.map(({ path, results, tokens }) => ({ name: path, tokens, more: formatCount(results, "result") })),
    ),
    ...formatTable(
      "Biggest entries",
      biggest.map(({ id, kind, words, tokens, frees }) => ({
        name: `${shortId(id)} ${kind}: ${words}`,
        tokens,
        more: describeFreed(frees),
      })),
    ),
  ];
}

interface TableRow {
  readonly name: string;
  readonly tokens: number;
  readonly more: string;
}

function formatTable(title: string, rows: readonly TableRow[]): readonly string[] {
  const visibleRows = rows.filter(({ tokens }) => tokens > 0).slice(0, MAX_TABLE_ROWS);
  if (visibleRows.length === 0) return [];
  const names = visibleRows.map(({ name }) => truncateName(name));
  const nameWidth = Math.max(...names.map((name) => name.length));
  const formatRow = ({ tokens, more }: TableRow, index: number): string =>
    `  ${(names[index] ?? "").padEnd(nameWidth)} ${formatNumber(tokens).padStart(9)}  ${more}`;
  return [title, ...visibleRows.map(formatRow)];
}

const MAX_TABLE_ROWS = 5;

/** Of a path its end tells most, of everything else its beginning. */
function truncateName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  return name.includes(" ") ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : `…${name.slice(1 - MAX_NAME_CHARS)}`;
}

const MAX_NAME_CHARS = 48;

/** What becomes free without it. */
export function describeFreed({ compaction, moving }: ContextReport["biggest"][number]["frees"]): string {
  const movingText = `moving before it frees ${formatNumber(moving)}`;
  return compaction > 0 ? `a compaction frees it; ${movingText}` : `a compaction keeps it; ${movingText}`;
}

export function formatContextReport(report: ContextReport): string {
  const { tokens, limit, parts } = report;
  const usedShare = limit === null ? null : tokens / limit;
  const head =
    limit === null
      ? `${formatContextTokens(report)} tokens of a window nobody knows`
      : `${renderBar(usedShare ?? 0, HEADLINE_BAR_WIDTH)} ${formatHeadline(report)}`;
  const kindWidth = Math.max(0, ...parts.map(({ kind }) => kind.length));
  const partLines = parts.length === 0 ? [] : ["", ...formatParts(parts, { tokens, kindWidth })];
  return [head, ...partLines, ...formatBreakdown(report), "", ...describeNextCompaction(report)].join("\n");
}

function formatHeadline(report: ContextReport): string {
  const { tokens, limit, contextWindow } = report;
  const percent = limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
  return `${formatContextTokens(report)} of ${formatNumber(limit ?? 0)} tokens (${percent} %; the window has ${formatNumber(contextWindow)})`;
}

interface Scale {
  readonly tokens: number;
  readonly kindWidth: number;
}

const placeTitles = { system: "System", front: "Front (kept by compactions)", tail: "As it was said" } as const;

function formatParts(parts: readonly ContextPart[], scale: Scale): readonly string[] {
  return (["system", "front", "tail"] as const).flatMap((place) => {
    const placeParts = parts.filter((part) => part.place === place);
    return placeParts.length === 0 ? [] : [placeTitles[place], ...placeParts.map((part) => formatPart(part, scale))];
  });
}

function formatPart({ kind, tokens }: ContextPart, { tokens: totalTokens, kindWidth }: Scale): string {
  return `  ${kind.padEnd(kindWidth)} ${formatNumber(tokens).padStart(9)}  ${renderBar(tokens / Math.max(1, totalTokens), PART_BAR_WIDTH).trimEnd()}`.trimEnd();
}

/** How it was counted, and what comes next. */
export function describeNextCompaction({
  tokens,
  measured,
  limit,
  soft,
  isAutomatic,
  held,
  afterCompaction,
}: ContextReport): readonly string[] {
  const trigger =
    limit === null ? "when the provider refuses a request as too long" : `above ${formatNumber(limit)} tokens`;
  const warning = soft === null ? "" : `; you are told from ${formatNumber(soft)} on`;
  const freedTokens = afterCompaction === null ? null : Math.max(0, tokens - afterCompaction);
  return [
    describeMeasurement(tokens, measured),
    isAutomatic ? `Compacted by itself ${trigger}${warning}.` : "Nothing is compacted by itself (/autocompact on).",
    ...(held === null || held === "off" ? [] : [`It is not now: ${pauseReasons[held]}.`]),
    freedTokens === null
      ? "There is nothing to compact."
      : `A compaction now would free about ${formatNumber(freedTokens)} tokens (/compact --preview).`,
  ];
}

function describeMeasurement(tokens: number, measured: number): string {
  if (measured === 0) return "This is an estimate: no reply has measured it yet.";
  if (measured >= tokens) return "Measured by the last reply.";
  return `Of these ${formatNumber(measured)} were measured by the last reply, the rest is estimated.`;
}

const pauseReasons = {
  undone: "a compaction was undone, and the context has hardly grown since",
  breaker: "compactions no longer help; see what fills the window",
} as const;

/** Of `width` signs; a part that is there at all shows. */
function renderBar(share: number, width: number): string {
  const filled = Math.min(width, Math.round(share * width));
  const empty = width === HEADLINE_BAR_WIDTH ? "░" : " ";
  return filled === 0 && share > 0
    ? `▏${empty.repeat(width - 1)}`
    : `${"█".repeat(filled)}${empty.repeat(width - filled)}`;
}

const HEADLINE_BAR_WIDTH = 30;
const PART_BAR_WIDTH = 20;
