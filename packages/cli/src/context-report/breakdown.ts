/** Breaks a context down by kind, tool, file and biggest entries; the kinds add up to the tokens of the next request. */

import {
  type Budget,
  contextSize,
  type Entry,
  type LoadedBranch,
  messageTokens,
  type SystemMessage,
  type ToolCallBlock,
} from "@pith/context";
import {
  entryText,
  fileTouches,
  mergeSystemMessages,
  type SummaryPartKind,
  sanitizeLine,
  type ToolRoles,
} from "@pith/context/host";
import { computeRawParts, type EntryWeight, type RawParts, readToolCalls } from "./meter.ts";
import { scaleTokens } from "./token-counts.ts";

export interface ContextPart {
  /** Where it stands: system and tools, the front that a compaction made, or what is kept as it was said. */
  readonly place: "system" | "front" | "tail";
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/** System, front and tail, those of the same kind together; none is empty. */
export function computeContextParts(
  branch: LoadedBranch,
  budget: Pick<Budget, "model" | "fixed">,
): readonly ContextPart[] {
  const { tokens, fixed } = contextSize(branch, budget);
  const conversationParts = mergeParts(computeRawParts(branch, budget.model));
  const scaledSystemParts = scaleTokens(computeSystemParts(mergeSystemMessages(branch)), fixed);
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts =
    tokens <= fixed
      ? scaleTokens([...scaledSystemParts, ...conversationParts], tokens)
      : [...scaledSystemParts, ...scaleTokens(conversationParts, tokens - fixed)];
  return parts.filter((part) => part.tokens > 0);
}

function mergeParts({ summary, kept, fresh }: RawParts): readonly ContextPart[] {
  const tailParts = [...kept, ...fresh].map(([kind, tokens]): ContextPart => ({ place: "tail", kind, tokens }));
  const parts = [
    ...summary.map(
      ({ kind, tokens }): ContextPart => ({
        place: "front",
        kind: summaryPartTitles[kind as SummaryPartKind] ?? kind,
        tokens,
      }),
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

const summaryPartTitles: Readonly<Record<SummaryPartKind, string>> = {
  pins: "pins",
  words: "your words",
  story: "summary",
  notes: "summary",
  ledger: "ledger of files, commands and errors",
  recall: "what can be recalled",
  request: "your latest request",
};

export interface FileWeight {
  readonly path: string;
  /** How many results are about it. */
  readonly results: number;
  readonly tokens: number;
}

/** A result about several files counts for each of them in part. */
export function groupByFile(weights: readonly EntryWeight[], roles: ToolRoles = {}): readonly FileWeight[] {
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
  /** How often it has answered. */
  readonly results: number;
  readonly tokens: number;
}

export function groupByTool(weights: readonly EntryWeight[]): readonly ToolWeight[] {
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
  /** For people. */
  readonly kind: string;
  /** How it begins, or what was called for it. */
  readonly words: string;
  readonly tokens: number;
  readonly frees: {
    /** By a compaction now: all of it, or nothing where it would be kept. */
    readonly compaction: number;
    /** By moving to before it: it, and all that came behind it. */
    readonly moving: number;
  };
}

/** Those that a compaction now would cover are named by `covered`. */
export function findBiggestEntries(
  weights: readonly EntryWeight[],
  coveredIds: ReadonlySet<string>,
): readonly BigEntry[] {
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
        moving: freedByMoving.get(entry.id) ?? tokens,
      };
      return { id: entry.id, kind, words: describeEntry(weight), tokens, frees };
    });
}

const MAX_BIGGEST_ENTRIES = 20;
const MAX_ENTRY_CHARS = 80;

function describeEntry({ entry, message, call }: EntryWeight): string {
  const text = call ? formatArguments(call) : entryText(entry);
  if (text.trim() !== "") return sanitizeLine(text, MAX_ENTRY_CHARS);
  return sanitizeLine(
    readToolCalls(message)
      .map((toolCall) => `${toolCall.name} ${formatArguments(toolCall)}`)
      .join("; "),
    MAX_ENTRY_CHARS,
  );
}

function formatArguments({ arguments: args }: ToolCallBlock): string {
  const values = Object.values(Object(args) as Readonly<Record<string, unknown>>);
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
}
