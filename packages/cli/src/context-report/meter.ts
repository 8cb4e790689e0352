/** Divides a context into the parts of the context bar and into entries, in tokens that add up to those of the next request. */

import {
  type AgentMessage,
  type AssistantMessage,
  type Budget,
  buildSessionContext,
  type CompactionEntry,
  contextSize,
  convertToLlm,
  type Entry,
  type LoadedBranch,
  type ModelName,
  messageTokens,
  type ToolCallBlock,
} from "@pith/context";
import { readSummaryParts } from "@pith/context/host";

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

export interface KindTokens {
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/**
 * Cached, because messages never change.
 * As it is sent to this model; the summary of a compaction and what the system is have places of their own.
 */
export function countMessageByKind(message: AgentMessage, model: ModelName | undefined): readonly KindTokens[] {
  const modelName = model === undefined ? "" : `${model.provider}/${model.model}`;
  const cached = kindCache.get(message);
  if (cached?.modelName === modelName) return cached.kinds;
  const kinds = computeKinds(message, model);
  kindCache.set(message, { modelName, kinds });
  return kinds;
}

interface CachedKinds {
  readonly modelName: string;
  readonly kinds: readonly KindTokens[];
}

const kindCache = new WeakMap<AgentMessage, CachedKinds>();

function computeKinds(message: AgentMessage, model: ModelName | undefined): readonly KindTokens[] {
  switch (message.role) {
    case "system":
    case "compactionSummary":
      return [];
    case "user":
      return typeof message.content === "string" && message.content.trim() !== ""
        ? [{ kind: USER_MESSAGES, tokens: messageTokens(message) }]
        : countAsSent(USER_MESSAGES, message, model);
    case "assistant":
      return countReplyByKind(message, model);
    case "toolResult":
      return hasOnlyText(message.content)
        ? [{ kind: `${RESULTS_PREFIX}${message.toolName}`, tokens: messageTokens(message) }]
        : countAsSent(`${RESULTS_PREFIX}${message.toolName}`, message, model);
    case "bashExecution":
      return countAsSent("your commands", message, model);
    case "custom":
      return countAsSent("notes", message, model);
    case "branchSummary":
      return countAsSent("branches that were left", message, model);
  }
}

const RESULTS_PREFIX = "results of ";

const USER_MESSAGES = "your messages";

/** Files are not checked block by block, and what nobody knows is not sent. */
function hasOnlyText(content: readonly { readonly type: string; readonly text?: unknown }[]): boolean {
  return content.length > 0 && content.every((block) => block?.type === "text" && typeof block.text === "string");
}

function countAsSent(kind: string, message: AgentMessage, model: ModelName | undefined): readonly KindTokens[] {
  const tokens = convertToLlm([message], model).reduce((sum, sent) => sum + messageTokens(sent), 0);
  return tokens === 0 ? [] : [{ kind, tokens }];
}

/** A reply alone stands behind a question that was made up for it, and before results that were. */
function countReplyByKind(message: AssistantMessage, model: ModelName | undefined): readonly KindTokens[] {
  const sent = convertToLlm([message], model).find(({ role }) => role === "assistant");
  if (sent?.role !== "assistant") return [];
  const [firstBlock, ...otherBlocks] = sent.content;
  if (firstBlock && otherBlocks.length === 0)
    return [{ kind: replyBlockKinds[firstBlock.type], tokens: messageTokens(sent) }];
  return sent.content.map((block) => ({
    kind: replyBlockKinds[block.type],
    tokens: messageTokens({ ...sent, content: [block] }),
  }));
}

const replyBlockKinds = { text: "replies", thinking: "thinking", toolCall: "calls of tools" } as const;

export interface KindSums {
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface SumOptions {
  /** Where that begins which came since the newest compaction. */
  readonly firstFresh: number;
  readonly model: ModelName | undefined;
}

/** Only new messages are added. From the outside a pure function: messages never change, so the same object means the same words. */
export function sumByKind(messages: readonly AgentMessage[], { firstFresh, model }: SumOptions): KindSums {
  const [first] = messages;
  if (!first) return { kept: new Map(), fresh: new Map() };
  const cacheKey = `${firstFresh} ${model?.provider}/${model?.model}`;
  const cached = runningSums.get(first);
  const canContinue = cached?.cacheKey === cacheKey && isPrefix(cached.counted, messages);
  const sums: RunningSums = canContinue ? cached : { cacheKey, counted: [], kept: new Map(), fresh: new Map() };
  for (let index = sums.counted.length; index < messages.length; index++) {
    const message = messages[index];
    if (!message) continue;
    addMessage(index < firstFresh ? sums.kept : sums.fresh, message, model);
    sums.counted.push(message);
  }
  runningSums.set(first, sums);
  return { kept: new Map(sums.kept), fresh: new Map(sums.fresh) };
}

interface RunningSums {
  readonly cacheKey: string;
  readonly counted: AgentMessage[];
  readonly kept: Map<string, number>;
  readonly fresh: Map<string, number>;
}

const runningSums = new WeakMap<AgentMessage, RunningSums>();

function addMessage(sums: Map<string, number>, message: AgentMessage, model: ModelName | undefined): void {
  for (const { kind, tokens } of countMessageByKind(message, model)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
}

function isPrefix(prefix: readonly unknown[], messages: readonly unknown[]): boolean {
  if (prefix.length > messages.length) return false;
  for (let index = 0; index < prefix.length; index++) if (prefix[index] !== messages[index]) return false;
  return true;
}

/**
 * Whole numbers that add up to `tokens`.
 * Where the boundary between two lies depends on the sums before and behind it alone, however finely these are parted.
 */
export function scaleTokens<Part extends { readonly tokens: number }>(
  parts: readonly Part[],
  tokens: number,
): readonly Part[] {
  const sum = parts.reduce((total, part) => total + part.tokens, 0);
  if (sum === 0 || tokens <= 0) return parts.map((part) => ({ ...part, tokens: 0 }));
  let sumBefore = 0;
  return parts.map((part) => {
    const start = Math.round((tokens * sumBefore) / sum);
    sumBefore += part.tokens;
    return { ...part, tokens: Math.round((tokens * sumBefore) / sum) - start };
  });
}
