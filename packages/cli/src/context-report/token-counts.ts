/** Estimates the tokens of messages by kind, and scales estimates to a measured total. */

import { type AgentMessage, type AssistantMessage, convertToLlm, type ModelName, messageTokens } from "@pith/context";

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
