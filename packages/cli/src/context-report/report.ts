/** Builds the report about the size and content of a context, as data and as text, for `/context`, `pith context` and clients. */

import {
  type Budget,
  type CompactionPreview,
  compactionDue,
  contextSize,
  type Entry,
  type LoadedBranch,
  messageTokens,
  previewCompaction,
  type SystemMessage,
  type ToolCallBlock,
} from "@pith/context";
import { entryText, fileTouches, mergeSystemMessages, sanitizeLine, type ToolRoles } from "@pith/context/host";
import { formatContextTokens, formatCount, formatNumber } from "@pith/host/text/format";
import { shortId } from "../sessions/entries.ts";
import { describeToolArguments, describeToolCall } from "../text/tool-call-text.ts";
import {
  computeEntryWeights,
  computeRawParts,
  type EntryWeight,
  pauseReasons,
  type RawParts,
  REREAD_FILES,
  readToolCalls,
  scaleTokens,
  toSingularKind,
} from "./meter.ts";

export interface ContextReport {
  readonly tokens: number;
  /** Whether no reply has measured the context since the start, the last compaction or the last edit. */
  readonly isEstimate: boolean;
  /** The tokens that the last reply measured. The rest is an estimate. */
  readonly measured: number;
  readonly contextWindow: number;
  /** The limit above which the context is compacted. Null if the context window is not known. */
  readonly limit: number | null;
  /** The size from which on the user is warned. */
  readonly soft: number | null;
  readonly isAutomatic: boolean;
  /** Why automatic compaction is paused although the limit is exceeded. Null if it is not paused or not needed. */
  readonly pauseReason: "off" | "undone" | "breaker" | null;
  readonly parts: readonly ContextPart[];
  /** Tool results by tool, the largest first. */
  readonly tools: readonly ToolWeight[];
  /** Tool results by file, the largest first. */
  readonly files: readonly FileWeight[];
  /** The largest entries, and how many tokens become free without each. */
  readonly biggest: readonly BigEntry[];
  /** How many tool results were removed as outdated. */
  readonly removedResults: number;
  /** The size after a compaction without a model-written summary. Null if there is nothing to compact. */
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
    pauseReason: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: computeContextParts(branch, budget),
    removedResults: countRemovedResults(branch),
    afterCompaction: preview.type === "planned" ? preview.receipt.tokens.after : null,
  };
}

function countRemovedResults({ edits }: LoadedBranch): number {
  const latestEdits = new Map(edits.map((edit) => [edit.targetId, edit]));
  return [...latestEdits.values()].filter(({ pith }) => pith?.outdated !== undefined).length;
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

function formatBreakdown({ tools, files, biggest }: ContextReport): readonly string[] {
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
      biggest.map(({ id, kind, text, tokens, frees }) => ({
        name: `${shortId(id)} ${kind}: ${text}`,
        tokens,
        more: describeFreed({ kind, frees }),
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

/** Keeps the end of a path and the beginning of other names. */
function truncateName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  return name.includes(" ") ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : `…${name.slice(1 - MAX_NAME_CHARS)}`;
}

const MAX_NAME_CHARS = 48;

/** What a compaction would do with an entry, and how many tokens become free by going back. */
export function describeFreed({ kind, frees }: Pick<BigEntry, "kind" | "frees">): string {
  const summarized = frees.compaction > 0 ? "a compaction would summarize it" : "a compaction would keep it";
  const compactionText = kind === REREAD_FILES ? REREAD_REPLACED : summarized;
  return `${compactionText}; going back to the point before it (/tree) would free ${formatNumber(frees.goingBack)} tokens`;
}

export const REREAD_REPLACED = "the next compaction replaces it with the files' current text";

export function formatContextReport(report: ContextReport): string {
  const { tokens, limit, parts } = report;
  const usedShare = limit === null ? null : tokens / limit;
  const head =
    limit === null
      ? `${formatContextTokens(report)} tokens (context window unknown)`
      : `${renderBar(usedShare ?? 0, HEADLINE_BAR_WIDTH)} ${formatHeadline(report)}`;
  const kindWidth = Math.max(0, ...parts.map(({ kind }) => kind.length));
  const partLines = parts.length === 0 ? [] : ["", ...formatParts(parts, { tokens, kindWidth })];
  return [head, ...partLines, ...formatBreakdown(report), "", ...describeNextCompaction(report)].join("\n");
}

function formatHeadline(report: ContextReport): string {
  const { tokens, limit, contextWindow } = report;
  const percent = limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
  return `${formatContextTokens(report)} of ${formatNumber(limit ?? 0)} tokens (${percent}%; context window: ${formatNumber(contextWindow)})`;
}

interface Scale {
  readonly tokens: number;
  readonly kindWidth: number;
}

const placeTitles = { system: "System", summary: "Compaction summary", messages: "Messages" } as const;

function formatParts(parts: readonly ContextPart[], scale: Scale): readonly string[] {
  return (["system", "summary", "messages"] as const).flatMap((place) => {
    const placeParts = parts.filter((part) => part.place === place);
    return placeParts.length === 0 ? [] : [placeTitles[place], ...placeParts.map((part) => formatPart(part, scale))];
  });
}

function formatPart({ kind, tokens }: ContextPart, { tokens: totalTokens, kindWidth }: Scale): string {
  return `  ${kind.padEnd(kindWidth)} ${formatNumber(tokens).padStart(9)}  ${renderBar(tokens / Math.max(1, totalTokens), PART_BAR_WIDTH).trimEnd()}`.trimEnd();
}

/** Describes how the size was measured and when the next compaction happens. */
export function describeNextCompaction({
  tokens,
  measured,
  limit,
  soft,
  isAutomatic,
  pauseReason,
  removedResults,
  afterCompaction,
  parts,
}: ContextReport): readonly string[] {
  const trigger =
    limit === null ? "when the provider refuses a request as too long" : `above ${formatNumber(limit)} tokens`;
  const warning = soft === null ? "" : ` and warns above ${formatNumber(soft)}`;
  const freedTokens = afterCompaction === null ? null : Math.max(0, tokens - afterCompaction);
  return [
    describeMeasurement({ tokens, measured, parts }),
    ...(removedResults > 0
      ? [`Not counted: ${formatCount(removedResults, "outdated tool result")}, removed from the context.`]
      : []),
    isAutomatic
      ? `Pith compacts automatically ${trigger}${warning}.`
      : "Automatic compaction is off (/autocompact on).",
    ...(pauseReason === null || pauseReason === "off"
      ? []
      : [`Automatic compaction is paused: ${pauseReasons[pauseReason].long}.`]),
    freedTokens === null
      ? "There is nothing to compact."
      : `A compaction now would free about ${formatNumber(freedTokens)} tokens (/compact --preview).`,
  ];
}

function describeMeasurement({
  tokens,
  measured,
  parts,
}: Pick<ContextReport, "tokens" | "measured" | "parts">): string {
  if (measured === 0)
    return parts.some(({ place }) => place === "summary")
      ? "This is an estimate: the provider has not reported the size since the last compaction."
      : "This is an estimate: the provider has not reported the size yet.";
  if (measured >= tokens) return "The provider reported this total with the last reply.";
  return `The provider reported ${formatNumber(measured)} tokens with the last reply; the rest is estimated.`;
}

/** Draws a bar of `width` characters. A share above zero is always visible. */
function renderBar(share: number, width: number): string {
  const fullWidth = Math.min(width, Math.round(share * width));
  const empty = width === HEADLINE_BAR_WIDTH ? "░" : " ";
  return fullWidth === 0 && share > 0
    ? `▏${empty.repeat(width - 1)}`
    : `${"█".repeat(fullWidth)}${empty.repeat(width - fullWidth)}`;
}

const HEADLINE_BAR_WIDTH = 30;

const PART_BAR_WIDTH = 20;

export interface ContextPart {
  /** `system`: system prompt and tools. `summary`: that of the newest compaction. `messages`: the verbatim ones. */
  readonly place: "system" | "summary" | "messages";
  /** Shown to the user. */
  readonly kind: string;
  readonly tokens: number;
}

/** Lists the parts in the order system, summary, messages, merged by kind. Empty parts are omitted. */
export function computeContextParts(
  branch: LoadedBranch,
  budget: Pick<Budget, "model" | "fixed">,
): readonly ContextPart[] {
  const { tokens, fixed } = contextSize(branch, budget);
  const conversationParts = mergeParts(computeRawParts(branch, budget.model));
  const scaledSystemParts = scaleTokens(computeSystemParts(mergeSystemMessages(branch)), fixed);
  // If the estimate of the system part exceeds the measured total, all parts are scaled, so that the conversation keeps a share.
  const parts =
    tokens <= fixed
      ? scaleTokens([...scaledSystemParts, ...conversationParts], tokens)
      : [...scaledSystemParts, ...scaleTokens(conversationParts, tokens - fixed)];
  return parts.filter((part) => part.tokens > 0);
}

function mergeParts({ summary, keptByKind, newByKind }: RawParts): readonly ContextPart[] {
  const tailParts = [...keptByKind, ...newByKind].map(
    ([kind, tokens]): ContextPart => ({ place: "messages", kind, tokens }),
  );
  const parts = [
    ...summary.map(
      ({ kind, tokens }): ContextPart => ({ place: "summary", kind: summaryPartTitles[kind] ?? kind, tokens }),
    ),
    ...tailParts,
  ];
  const kinds = Map.groupBy(parts, ({ place, kind }) => `${place} ${kind}`);
  return [...kinds.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, tokens: others.reduce((sum, { tokens }) => sum + tokens, first.tokens) }] : [],
  );
}

function computeSystemParts(system: SystemMessage | null): readonly ContextPart[] {
  if (!system) return [{ place: "system", kind: "system prompt and tools", tokens: 1 }];
  const { toolsAdded = [], ...prompt } = system;
  const tools: SystemMessage = { role: "system", content: "", toolsAdded, timestamp: 0 };
  return [
    { place: "system", kind: "system prompt", tokens: messageTokens({ ...prompt }) },
    ...(toolsAdded.length > 0
      ? [{ place: "system" as const, kind: `${toolsAdded.length} tools`, tokens: messageTokens(tools) }]
      : []),
  ];
}

const summaryPartTitles: Readonly<Record<string, string>> = {
  pins: "pins",
  words: "your messages",
  omitted: "your messages, not word for word",
  story: "summary",
  notes: "summary",
  ledger: "files, commands and errors",
  recall: "pointer to earlier entries",
  request: "your latest request",
};

export interface FileWeight {
  readonly path: string;
  /** The number of tool results about this file. */
  readonly results: number;
  readonly tokens: number;
}

/** Divides the tokens of a result about several files equally among them. */
function groupByFile(weights: readonly EntryWeight[], roles: ToolRoles = {}): readonly FileWeight[] {
  const files = new Map<string, FileWeight>();
  for (const { entry, call, tokens } of weights) {
    const paths = call ? findPaths(entry, call, roles) : [];
    for (const path of paths) {
      const previous = files.get(path) ?? { path, results: 0, tokens: 0 };
      files.set(path, { ...previous, results: previous.results + 1, tokens: previous.tokens + tokens / paths.length });
    }
  }
  return [...files.values()]
    .map((file) => ({ ...file, tokens: Math.round(file.tokens) }))
    .toSorted((a, b) => b.tokens - a.tokens);
}

function findPaths({ id, parentId, timestamp }: Entry, call: ToolCallBlock, roles: ToolRoles): readonly string[] {
  const message = { role: "assistant", content: [call] };
  const callEntry = { type: "message", id, parentId, timestamp, message } as unknown as Entry;
  return [...new Set(fileTouches([callEntry], roles).map(({ path }) => path))];
}

export interface ToolWeight {
  readonly tool: string;
  /** The number of results of this tool. */
  readonly results: number;
  readonly tokens: number;
}

function groupByTool(weights: readonly EntryWeight[]): readonly ToolWeight[] {
  const tools = new Map<string, ToolWeight>();
  for (const { message, tokens } of weights) {
    if (message.role !== "toolResult") continue;
    const previous = tools.get(message.toolName) ?? { tool: message.toolName, results: 0, tokens: 0 };
    tools.set(message.toolName, { ...previous, results: previous.results + 1, tokens: previous.tokens + tokens });
  }
  return [...tools.values()].toSorted((a, b) => b.tokens - a.tokens);
}

export interface BigEntry {
  readonly id: string;
  /** Shown to the user. */
  readonly kind: string;
  /** The beginning of the text, or the arguments of the call. */
  readonly text: string;
  readonly tokens: number;
  readonly frees: {
    /** By a compaction now: all tokens, or 0 if the compaction keeps the entry. */
    readonly compaction: number;
    /** By a move to the position before it: its tokens and those of all later entries. */
    readonly goingBack: number;
  };
}

/** `coveredIds` are the entries that a compaction now would replace. */
function findBiggestEntries(weights: readonly EntryWeight[], coveredIds: ReadonlySet<string>): readonly BigEntry[] {
  let tokensFromHere = 0;
  const freedByMoving = new Map(
    weights.toReversed().map(({ entry, tokens }) => {
      tokensFromHere += tokens;
      return [entry.id, tokensFromHere];
    }),
  );
  return weights
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, MAX_BIGGEST_ENTRIES)
    .map((weight) => {
      const { entry, kind, tokens } = weight;
      const frees = {
        compaction: coveredIds.has(entry.id) ? tokens : 0,
        goingBack: freedByMoving.get(entry.id) ?? tokens,
      };
      return { id: entry.id, kind: toSingularKind(kind), text: describeEntry(weight), tokens, frees };
    });
}

const MAX_BIGGEST_ENTRIES = 20;

const MAX_ENTRY_CHARS = 80;

/** A call is described as in the transcript. The kind of a result already names the tool. */
function describeEntry({ entry, message, call }: EntryWeight): string {
  if (call) return sanitizeLine(describeToolArguments(call.name, Object(call.arguments)), MAX_ENTRY_CHARS);
  const text = entryText(entry);
  const calls = readToolCalls(message).map(({ name, arguments: args }) => describeToolCall(name, Object(args)));
  return sanitizeLine(text.trim() === "" ? calls.join("; ") : text, MAX_ENTRY_CHARS);
}
