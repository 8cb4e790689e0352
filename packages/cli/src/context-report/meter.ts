/** Divides a context into the parts of the context bar and into entries, in tokens that add up to those of the next request. */

import {
  type AgentMessage,
  type Budget,
  buildSessionContext,
  type CompactionEntry,
  contextSize,
  type Entry,
  type LoadedBranch,
  type ModelName,
  messageTokens,
  type ToolCallBlock,
} from "@pith/context";
import { readSummaryParts } from "@pith/context/host";
import { type Kind, messageKinds, scaled, sumsOf } from "./token-counts.ts";

export interface RawParts {
  readonly front: readonly RawFront[];
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface RawFront {
  readonly kind: string;
  readonly tokens: number;
}

export function rawParts(window: LoadedBranch, to: ModelName | undefined): RawParts {
  const { messages, sources } = buildSessionContext(window);
  return { front: frontOf(window), ...sumsOf(messages, { firstFresh: freshFrom(window, sources), to }) };
}

function frontOf({ entries, compactionIndex: compactionAt }: LoadedBranch): readonly RawFront[] {
  const compaction = entries[compactionAt];
  if (compaction?.type !== "compaction") return [];
  const parts = readSummaryParts(compaction);
  return parts.length > 0 ? parts : [{ kind: "story", tokens: summaryTokens(compaction) }];
}

function summaryTokens({ summary }: CompactionEntry): number {
  return messageTokens({ role: "user", content: summary, timestamp: 0 });
}

/** Where in the messages that begins what came since the newest compaction; without one, all did. */
function freshFrom({ entries, compactionIndex: compactionAt }: LoadedBranch, sources: readonly string[]): number {
  if (compactionAt < 0) return 0;
  const kept = new Set(entries.slice(0, compactionAt + 1).map(({ id }) => id));
  const at = sources.findIndex((id) => !kept.has(id));
  return at === -1 ? sources.length : at;
}

/** What stays first and cached, what is kept as it was said, what came since. */
export interface MeterParts {
  readonly system: number;
  readonly pins: number;
  readonly words: number;
  readonly checkpoint: number;
  readonly tail: number;
  readonly fresh: number;
}

export function meterParts(window: LoadedBranch, budget: Pick<Budget, "model" | "fixed">): MeterParts {
  const { tokens, fixed } = contextSize(window, budget);
  const said = saidIn(rawParts(window, budget.model));
  const own = { tokens: fixed };
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts = tokens <= fixed ? scaled([own, ...said], tokens) : [own, ...scaled(said, tokens - fixed)];
  const [system = 0, pins = 0, words = 0, checkpoint = 0, tail = 0, fresh = 0] = parts.map((part) => part.tokens);
  return { system, pins, words, checkpoint, tail, fresh };
}

interface Part {
  readonly tokens: number;
}

function saidIn({ front, kept, fresh }: RawParts): readonly Part[] {
  const of = (isIt: (kind: string) => boolean): Part => ({
    tokens: front.filter(({ kind }) => isIt(kind)).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  return [
    of((kind) => kind === "pins"),
    of((kind) => kind === "words"),
    of((kind) => kind !== "pins" && kind !== "words"),
    { tokens: sum(kept) },
    { tokens: sum(fresh) },
  ];
}

function sum(kinds: ReadonlyMap<string, number>): number {
  let all = 0;
  for (const tokens of kinds.values()) all += tokens;
  return all;
}

export interface EntryWeight {
  readonly entry: Entry;
  readonly message: AgentMessage;
  /** What it is most of; for people. */
  readonly kind: string;
  readonly tokens: number;
  /** The call that a result answers. */
  readonly call?: ToolCallBlock;
}

/** As they stand in the context; the front of a compaction is not among them. */
export function entryWeights(window: LoadedBranch, budget: Pick<Budget, "model" | "fixed">): readonly EntryWeight[] {
  const raw = rawWeights(window, budget.model);
  const { tail, fresh } = meterParts(window, budget);
  const sum = raw.reduce((all, { tokens }) => all + tokens, 0);
  const factor = sum === 0 ? 0 : (tail + fresh) / sum;
  return raw.map((weight) => ({ ...weight, tokens: Math.round(weight.tokens * factor) }));
}

function rawWeights(window: LoadedBranch, to: ModelName | undefined): readonly EntryWeight[] {
  const { messages, sources } = buildSessionContext(window);
  const entries = new Map(window.entries.map((entry) => [entry.id, entry]));
  const calls = callsIn(messages);
  return messages.flatMap((message, at) => {
    const entry = entries.get(sources[at] ?? "");
    const kinds = messageKinds(message, to);
    const call = message.role === "toolResult" ? calls.get(message.toolCallId) : undefined;
    if (!entry || kinds.length === 0) return [];
    return [{ entry, message, kind: mostOf(kinds), tokens: sumOf(kinds), ...(call && { call }) }];
  });
}

/** By their ids; the newest of an id that was used again. */
function callsIn(messages: readonly AgentMessage[]): ReadonlyMap<string, ToolCallBlock> {
  return new Map(messages.flatMap(blocksIn).map((call) => [call.id, call]));
}

export function blocksIn(message: AgentMessage): readonly ToolCallBlock[] {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}

function mostOf(kinds: readonly Kind[]): string {
  return kinds.reduce((most, each) => (each.tokens > most.tokens ? each : most)).kind;
}

function sumOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, { tokens }) => sum + tokens, 0);
}
