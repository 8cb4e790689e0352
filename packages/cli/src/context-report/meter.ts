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
import { countMessageByKind, type KindTokens, scaleTokens, sumByKind } from "./token-counts.ts";

export interface RawParts {
  readonly summary: readonly RawSummaryPart[];
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface RawSummaryPart {
  readonly kind: string;
  readonly tokens: number;
}

export function computeRawParts(branch: LoadedBranch, model: ModelName | undefined): RawParts {
  const { messages, sources } = buildSessionContext(branch);
  return {
    summary: readRawSummary(branch),
    ...sumByKind(messages, { firstFresh: findFirstFreshIndex(branch, sources), model }),
  };
}

function readRawSummary({ entries, compactionIndex }: LoadedBranch): readonly RawSummaryPart[] {
  const compaction = entries[compactionIndex];
  if (compaction?.type !== "compaction") return [];
  const parts = readSummaryParts(compaction);
  return parts.length > 0 ? parts : [{ kind: "story", tokens: estimateSummaryTokens(compaction) }];
}

function estimateSummaryTokens({ summary }: CompactionEntry): number {
  return messageTokens({ role: "user", content: summary, timestamp: 0 });
}

/** Where in the messages that begins what came since the newest compaction; without one, all did. */
function findFirstFreshIndex({ entries, compactionIndex }: LoadedBranch, sources: readonly string[]): number {
  if (compactionIndex < 0) return 0;
  const keptIds = new Set(entries.slice(0, compactionIndex + 1).map(({ id }) => id));
  const index = sources.findIndex((id) => !keptIds.has(id));
  return index === -1 ? sources.length : index;
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

export function computeMeterParts(branch: LoadedBranch, budget: Pick<Budget, "model" | "fixed">): MeterParts {
  const { tokens, fixed } = contextSize(branch, budget);
  const conversationParts = groupConversation(computeRawParts(branch, budget.model));
  const systemPart = { tokens: fixed };
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts =
    tokens <= fixed
      ? scaleTokens([systemPart, ...conversationParts], tokens)
      : [systemPart, ...scaleTokens(conversationParts, tokens - fixed)];
  const [system = 0, pins = 0, words = 0, checkpoint = 0, tail = 0, fresh = 0] = parts.map((part) => part.tokens);
  return { system, pins, words, checkpoint, tail, fresh };
}

interface TokenCount {
  readonly tokens: number;
}

function groupConversation({ summary, kept, fresh }: RawParts): readonly TokenCount[] {
  const sumSummary = (matches: (kind: string) => boolean): TokenCount => ({
    tokens: summary.filter(({ kind }) => matches(kind)).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  return [
    sumSummary((kind) => kind === "pins"),
    sumSummary((kind) => kind === "words"),
    sumSummary((kind) => kind !== "pins" && kind !== "words"),
    { tokens: sumTokens(kept) },
    { tokens: sumTokens(fresh) },
  ];
}

function sumTokens(kinds: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const tokens of kinds.values()) total += tokens;
  return total;
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
export function computeEntryWeights(
  branch: LoadedBranch,
  budget: Pick<Budget, "model" | "fixed">,
): readonly EntryWeight[] {
  const rawEntries = computeRawWeights(branch, budget.model);
  const { tail, fresh } = computeMeterParts(branch, budget);
  const rawTotal = rawEntries.reduce((total, { tokens }) => total + tokens, 0);
  const factor = rawTotal === 0 ? 0 : (tail + fresh) / rawTotal;
  return rawEntries.map((weight) => ({ ...weight, tokens: Math.round(weight.tokens * factor) }));
}

function computeRawWeights(branch: LoadedBranch, model: ModelName | undefined): readonly EntryWeight[] {
  const { messages, sources } = buildSessionContext(branch);
  const entries = new Map(branch.entries.map((entry) => [entry.id, entry]));
  const calls = indexToolCalls(messages);
  return messages.flatMap((message, index) => {
    const entry = entries.get(sources[index] ?? "");
    const kinds = countMessageByKind(message, model);
    const call = message.role === "toolResult" ? calls.get(message.toolCallId) : undefined;
    if (!entry || kinds.length === 0) return [];
    return [{ entry, message, kind: findMainKind(kinds), tokens: sumKinds(kinds), ...(call && { call }) }];
  });
}

/** By their ids; the newest of an id that was used again. */
function indexToolCalls(messages: readonly AgentMessage[]): ReadonlyMap<string, ToolCallBlock> {
  return new Map(messages.flatMap(readToolCalls).map((call) => [call.id, call]));
}

export function readToolCalls(message: AgentMessage): readonly ToolCallBlock[] {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}

function findMainKind(kinds: readonly KindTokens[]): string {
  return kinds.reduce((largest, candidate) => (candidate.tokens > largest.tokens ? candidate : largest)).kind;
}

function sumKinds(kinds: readonly KindTokens[]): number {
  return kinds.reduce((sum, { tokens }) => sum + tokens, 0);
}
