/** Counts the tokens of a context by part, by entry and by kind of content. The parts add up to the size of the next request. */

import { REREAD_TYPE } from "@pith/agent";
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
  /** Tokens by kind of the messages that the newest compaction kept. */
  readonly keptByKind: ReadonlyMap<string, number>;
  /** Tokens by kind of the messages since the newest compaction. */
  readonly newByKind: ReadonlyMap<string, number>;
}

export interface RawSummaryPart {
  readonly kind: string;
  readonly tokens: number;
}

export function computeRawParts(branch: LoadedBranch, model: ModelName | undefined): RawParts {
  const { messages, sources } = buildSessionContext(branch);
  return {
    summary: readRawSummary(branch),
    ...sumByKind(messages, { firstNewIndex: findFirstNewIndex(branch, sources), model }),
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

/** The index of the first message since the newest compaction. 0 if there is no compaction. */
function findFirstNewIndex({ entries, compactionIndex }: LoadedBranch, sources: readonly string[]): number {
  if (compactionIndex < 0) return 0;
  const keptIds = new Set(entries.slice(0, compactionIndex + 1).map(({ id }) => id));
  const index = sources.findIndex((id) => !keptIds.has(id));
  return index === -1 ? sources.length : index;
}

/** Why automatic compaction is paused. `short` is for the footer, where it follows other figures. */
export const pauseReasons = {
  undone: { short: "after undo", long: "a compaction was undone, and the context has hardly grown since" },
  breaker: { short: "not freeing enough", long: "it no longer frees enough; see what fills the context window" },
} as const;

/** The tokens of each part of the context bar. `kept` is what the newest compaction kept verbatim; `recent` came after it. */
export interface MeterParts {
  readonly system: number;
  readonly pins: number;
  readonly userMessages: number;
  readonly summary: number;
  readonly kept: number;
  readonly recent: number;
}

export function computeMeterParts(branch: LoadedBranch, budget: Pick<Budget, "model" | "fixed">): MeterParts {
  const { tokens, fixed } = contextSize(branch, budget);
  const conversationParts = groupConversation(computeRawParts(branch, budget.model));
  const systemPart = { tokens: fixed };
  // If the estimate of the system part exceeds the measured total, all parts are scaled, so that the conversation keeps a share.
  const parts =
    tokens <= fixed
      ? scaleTokens([systemPart, ...conversationParts], tokens)
      : [systemPart, ...scaleTokens(conversationParts, tokens - fixed)];
  const [system = 0, pins = 0, userMessages = 0, summary = 0, kept = 0, recent = 0] = parts.map((part) => part.tokens);
  return { system, pins, userMessages, summary, kept, recent };
}

interface TokenCount {
  readonly tokens: number;
}

function groupConversation({ summary, keptByKind, newByKind }: RawParts): readonly TokenCount[] {
  const sumSummary = (matches: (kind: string) => boolean): TokenCount => ({
    tokens: summary.filter(({ kind }) => matches(kind)).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  return [
    sumSummary((kind) => kind === "pins"),
    sumSummary((kind) => kind === "words"),
    sumSummary((kind) => kind !== "pins" && kind !== "words"),
    { tokens: sumTokens(keptByKind) },
    { tokens: sumTokens(newByKind) },
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
  /** The kind of content with the most tokens, shown to the user. */
  readonly kind: string;
  readonly tokens: number;
  /** The call that a result answers. */
  readonly call?: ToolCallBlock;
}

/** Lists the entries in context order, without the summary of a compaction. */
export function computeEntryWeights(
  branch: LoadedBranch,
  budget: Pick<Budget, "model" | "fixed">,
): readonly EntryWeight[] {
  const rawEntries = computeRawWeights(branch, budget.model);
  const { kept, recent } = computeMeterParts(branch, budget);
  const rawTotal = rawEntries.reduce((total, { tokens }) => total + tokens, 0);
  const factor = rawTotal === 0 ? 0 : (kept + recent) / rawTotal;
  return rawEntries.map((weight) => ({ ...weight, tokens: Math.round(weight.tokens * factor) }));
}

function computeRawWeights(branch: LoadedBranch, model: ModelName | undefined): readonly EntryWeight[] {
  const { messages, sources } = buildSessionContext(branch);
  const entries = new Map(branch.entries.map((entry) => [entry.id, entry]));
  // If an id was used more than once, the newest call is used.
  const calls = new Map(messages.flatMap(readToolCalls).map((call) => [call.id, call]));
  return messages.flatMap((message, index) => {
    const entry = entries.get(sources[index] ?? "");
    const kinds = countMessageByKind(message, model);
    const call = message.role === "toolResult" ? calls.get(message.toolCallId) : undefined;
    if (!entry || kinds.length === 0) return [];
    return [{ entry, message, kind: findMainKind(kinds), tokens: sumKinds(kinds), ...(call && { call }) }];
  });
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
  /** Shown to the user. */
  readonly kind: string;
  readonly tokens: number;
}

/**
 * Counts the message as it is sent to this model. System messages and the summary of a compaction are counted elsewhere.
 * The result is cached, because messages never change.
 */
function countMessageByKind(message: AgentMessage, model: ModelName | undefined): readonly KindTokens[] {
  const modelName = model === undefined ? "" : `${model.provider}/${model.model}`;
  const cacheEntry = kindCache.get(message);
  if (cacheEntry?.modelName === modelName) return cacheEntry.kinds;
  const kinds = computeKinds(message, model);
  kindCache.set(message, { modelName, kinds });
  return kinds;
}

const kindCache = new WeakMap<AgentMessage, { readonly modelName: string; readonly kinds: readonly KindTokens[] }>();

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
        ? [{ kind: `${message.toolName}${RESULTS_SUFFIX}`, tokens: messageTokens(message) }]
        : countAsSent(`${message.toolName}${RESULTS_SUFFIX}`, message, model);
    case "bashExecution":
      return countAsSent("your shell commands", message, model);
    case "custom":
      return countAsSent(describeCustomKind(message.customType), message, model);
    case "branchSummary":
      return countAsSent("branch summaries", message, model);
  }
}

/** Messages with other types come from extensions. */
function describeCustomKind(customType: string): string {
  if (customType === "pith.skill") return "skills";
  if (customType === REREAD_TYPE) return REREAD_FILES;
  return customType.startsWith("pith.") ? "environment info" : "extension messages";
}

/** Names one entry of a kind: `your messages` become `your message`. A kind that cannot be counted stays as it is. */
export function toSingularKind(kind: string): string {
  return kind.replace(/ies$/, "y").replace(/s$/, "");
}

const RESULTS_SUFFIX = " results";

const USER_MESSAGES = "your messages";

/** The kind of the files that were read again after a compaction. The next compaction replaces them. */
export const REREAD_FILES = "files read again";

/** Checks each block, because session files are not validated and unknown blocks are not sent. */
function hasOnlyText(content: readonly { readonly type: string; readonly text?: unknown }[]): boolean {
  return content.length > 0 && content.every((block) => block?.type === "text" && typeof block.text === "string");
}

function countAsSent(kind: string, message: AgentMessage, model: ModelName | undefined): readonly KindTokens[] {
  const tokens = convertToLlm([message], model).reduce((sum, llmMessage) => sum + messageTokens(llmMessage), 0);
  return tokens === 0 ? [] : [{ kind, tokens }];
}

/** Picks the reply out of the converted messages: a single reply gets a placeholder question before it and placeholder results after it. */
function countReplyByKind(message: AssistantMessage, model: ModelName | undefined): readonly KindTokens[] {
  const reply = convertToLlm([message], model).find(({ role }) => role === "assistant");
  if (reply?.role !== "assistant") return [];
  const [firstBlock, ...otherBlocks] = reply.content;
  if (firstBlock && otherBlocks.length === 0)
    return [{ kind: replyBlockKinds[firstBlock.type], tokens: messageTokens(reply) }];
  return reply.content.map((block) => ({
    kind: replyBlockKinds[block.type],
    tokens: messageTokens({ ...reply, content: [block] }),
  }));
}

const replyBlockKinds = { text: "replies", thinking: "thinking", toolCall: "tool calls" } as const;

export type KindSums = Pick<RawParts, "keptByKind" | "newByKind">;

export interface SumOptions {
  /** The index of the first message since the newest compaction. */
  readonly firstNewIndex: number;
  readonly model: ModelName | undefined;
}

/**
 * Sums the tokens by kind. It continues the sums of the previous call if the messages only grew. Callers can treat it as a pure
 * function: messages never change, so the same object always has the same content.
 */
function sumByKind(messages: readonly AgentMessage[], { firstNewIndex, model }: SumOptions): KindSums {
  const [first] = messages;
  if (!first) return { keptByKind: new Map(), newByKind: new Map() };
  const cacheKey = `${firstNewIndex} ${model?.provider}/${model?.model}`;
  const previousSums = runningSums.get(first);
  const canContinue = previousSums?.cacheKey === cacheKey && isPrefix(previousSums.messages, messages);
  const sums: RunningSums = canContinue
    ? previousSums
    : { cacheKey, messages: [], keptByKind: new Map(), newByKind: new Map() };
  for (let index = sums.messages.length; index < messages.length; index++) {
    const message = messages[index];
    if (!message) continue;
    addMessage(index < firstNewIndex ? sums.keptByKind : sums.newByKind, message, model);
    sums.messages.push(message);
  }
  runningSums.set(first, sums);
  return { keptByKind: new Map(sums.keptByKind), newByKind: new Map(sums.newByKind) };
}

interface RunningSums {
  readonly cacheKey: string;
  /** The messages that are already included. */
  readonly messages: AgentMessage[];
  readonly keptByKind: Map<string, number>;
  readonly newByKind: Map<string, number>;
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
 * Scales the parts to integers that add up to `tokens`. The boundary between two parts depends only on the sums before and after it, so
 * it does not move if a part is split further.
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
