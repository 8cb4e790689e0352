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
import { blocksIn, type EntryWeight, type RawParts, rawParts } from "./meter.ts";
import { scaled } from "./token-counts.ts";

export interface ContextPart {
  /** Where it stands: system and tools, the front that a compaction made, or what is kept as it was said. */
  readonly place: "system" | "front" | "tail";
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/** System, front and tail, those of the same kind together; none is empty. */
export function contextParts(window: LoadedBranch, budget: Pick<Budget, "model" | "fixed">): readonly ContextPart[] {
  const { tokens, fixed } = contextSize(window, budget);
  const said = merged(rawParts(window, budget.model));
  const own = scaled(systemParts(mergeSystemMessages(window)), fixed);
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts = tokens <= fixed ? scaled([...own, ...said], tokens) : [...own, ...scaled(said, tokens - fixed)];
  return parts.filter((part) => part.tokens > 0);
}

function merged({ front, kept, fresh }: RawParts): readonly ContextPart[] {
  const said = [...kept, ...fresh].map(([kind, tokens]): ContextPart => ({ place: "tail", kind, tokens }));
  const parts = [
    ...front.map(
      ({ kind, tokens }): ContextPart => ({ place: "front", kind: fronts[kind as SummaryPartKind] ?? kind, tokens }),
    ),
    ...said,
  ];
  const kinds = Map.groupBy(parts, ({ place, kind }) => `${place} ${kind}`);
  return [...kinds.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, tokens: more.reduce((sum, { tokens }) => sum + tokens, first.tokens) }] : [],
  );
}

function systemParts(system: SystemMessage | null): readonly ContextPart[] {
  if (!system) return [{ place: "system", kind: "system prompt and tools", tokens: 1 }];
  const { toolsAdded = [], ...words } = system;
  const tools: SystemMessage = { role: "system", content: "", toolsAdded, timestamp: 0 };
  return [
    { place: "system", kind: "system prompt", tokens: messageTokens({ ...words }) },
    ...(toolsAdded.length > 0
      ? [{ place: "system" as const, kind: `${toolsAdded.length} tools`, tokens: messageTokens(tools) }]
      : []),
  ];
}

const fronts: Readonly<Record<SummaryPartKind, string>> = {
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
export function byFile(weights: readonly EntryWeight[], roles: ToolRoles = {}): readonly FileWeight[] {
  const files = new Map<string, FileWeight>();
  for (const { entry, call, tokens } of weights) {
    const paths = call ? pathsOf(entry, call, roles) : [];
    for (const path of paths) {
      const known = files.get(path) ?? { path, results: 0, tokens: 0 };
      files.set(path, { ...known, results: known.results + 1, tokens: known.tokens + tokens / paths.length });
    }
  }
  return [...files.values()]
    .map((file) => ({ ...file, tokens: Math.round(file.tokens) }))
    .toSorted((one, other) => other.tokens - one.tokens);
}

function pathsOf({ id, parentId, timestamp }: Entry, call: ToolCallBlock, roles: ToolRoles): readonly string[] {
  const message = { role: "assistant", content: [call] };
  const alone = { type: "message", id, parentId, timestamp, message } as unknown as Entry;
  return [...new Set(fileTouches([alone], roles).map(({ path }) => path))];
}

export interface ToolWeight {
  readonly tool: string;
  /** How often it has answered. */
  readonly results: number;
  readonly tokens: number;
}

export function byTool(weights: readonly EntryWeight[]): readonly ToolWeight[] {
  const tools = new Map<string, ToolWeight>();
  for (const { message, tokens } of weights) {
    if (message.role !== "toolResult") continue;
    const known = tools.get(message.toolName) ?? { tool: message.toolName, results: 0, tokens: 0 };
    tools.set(message.toolName, { ...known, results: known.results + 1, tokens: known.tokens + tokens });
  }
  return [...tools.values()].toSorted((one, other) => other.tokens - one.tokens);
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
export function biggest(weights: readonly EntryWeight[], covered: ReadonlySet<string>): readonly BigEntry[] {
  let behind = 0;
  const moving = new Map(
    weights.toReversed().map(({ entry, tokens }) => {
      behind += tokens;
      return [entry.id, behind];
    }),
  );
  return weights
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, MOST)
    .map((weight) => {
      const { entry, kind, tokens } = weight;
      const frees = { compaction: covered.has(entry.id) ? tokens : 0, moving: moving.get(entry.id) ?? tokens };
      return { id: entry.id, kind, words: wordsOf(weight), tokens, frees };
    });
}

const MOST = 20;
const WIDTH = 80;

function wordsOf({ entry, message, call }: EntryWeight): string {
  const words = call ? argumentsIn(call) : entryText(entry);
  if (words.trim() !== "") return sanitizeLine(words, WIDTH);
  return sanitizeLine(
    blocksIn(message)
      .map((made) => `${made.name} ${argumentsIn(made)}`)
      .join("; "),
    WIDTH,
  );
}

function argumentsIn({ arguments: given }: ToolCallBlock): string {
  const values = Object.values(Object(given) as Readonly<Record<string, unknown>>);
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
}
