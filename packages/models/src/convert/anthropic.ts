/** Implements the Anthropic Messages protocol: signed thinking blocks, cache marks, thinking budgets and web search. */

import type { JSONObject, JSONValue, LanguageModelV4ProviderTool, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type {
  AssistantMessage,
  CacheMark,
  Message,
  ModelName,
  Request,
  ThinkingBlock,
  ThinkingLevel,
} from "@pith/context";
import { baseProtocol, type ConvertOptions, isOpaque, type Protocol, type ReplyOptions } from "./protocol.ts";
import { type DraftThinking, findMetadataText } from "./reply-draft.ts";
import { createSearchTool, type ServerToolRun, toServerToolParts, webSearch } from "./server-tools.ts";

export const anthropic: Protocol = {
  ...baseProtocol,
  optionsKey: "anthropic",
  selectCacheMarks,
  findWebSearch,
  buildProviderOptions,
  toReasoningLevel: (level) => (level === "off" ? "none" : level),
  buildBudgetOptions,
  explainNoThinking,
  toReasoningParts,
  replayServerTool,
  readThinkingFields,
};

function selectCacheMarks(marks: readonly CacheMark[]): readonly CacheMark[] {
  const prefixMarks = marks.filter(({ after }) => after !== "message");
  const messageMarks = marks.filter((mark) => mark.after === "message").toSorted((one, two) => one.index - two.index);
  return [
    ...prefixMarks,
    ...messageMarks.slice(Math.max(0, messageMarks.length + prefixMarks.length - MAX_CACHE_MARKS)),
  ];
}

// The API refuses a fifth mark. The marks of the newest messages are worth the most.
const MAX_CACHE_MARKS = 4;

/** Marks the last part that can be marked, which ends a cached prefix. Reasoning cannot be marked. */
export function markLastPart<
  Part extends { readonly type: string; readonly providerOptions?: SharedV4ProviderOptions },
>(parts: readonly Part[]): Part[] {
  const last = parts.findLastIndex(({ type }) => type !== "reasoning");
  return parts.map((part, index) => (index === last ? markPart(part) : part));
}

function markPart<Part extends { readonly providerOptions?: SharedV4ProviderOptions }>(part: Part): Part {
  const { anthropic } = part.providerOptions ?? {};
  const providerOptions = {
    ...part.providerOptions,
    anthropic: { ...anthropic, ...cacheControlOptions.providerOptions.anthropic },
  };
  return { ...part, providerOptions };
}

export const cacheControlOptions: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

function findWebSearch({ provider, model }: ModelName): LanguageModelV4ProviderTool | null {
  if (provider !== "anthropic" || !/^claude-(?!3-(opus|sonnet|haiku))/.test(model)) return null;
  // Anthropic pauses a reply after ten searches; the pause would be taken for its end.
  return createSearchTool("anthropic.web_search_20250305", { maxUses: 8 });
}

// The package passes pings on only if asked. They matter for a model that thinks, which may be silent for minutes.
function buildProviderOptions({ thinking }: Request, { target }: ConvertOptions): SharedV4ProviderOptions | null {
  return thinking === "off" && usesThinkingBudget(target) ? null : { anthropic: { includePings: true } };
}

/** Whether the model is a Claude before 4.6. Later ones decide themselves how much to think. */
function usesThinkingBudget({ model }: ModelName): boolean {
  const [, major = "0", minor = "0"] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) < 4 || (Number(major) === 4 && Number(minor) < 6);
}

/** The package adds the budget to the output tokens, so that the output is asked for without it. */
function buildBudgetOptions(request: Request, options: ConvertOptions): ReplyOptions | null {
  const { target, maxTokens } = options;
  if (request.thinking === "off" || !usesThinkingBudget(target)) return null;
  const budget = mayThink(request, target)
    ? computeThinkingBudget(request.thinking, toReplyLimits(request, options))
    : null;
  const thinking: JSONObject = budget === null ? { type: "disabled" } : { type: "enabled", budgetTokens: budget };
  return {
    maxOutputTokens: maxTokens - (budget ?? 0),
    providerOptions: { anthropic: { includePings: true, thinking } },
  };
}

/** False for a request that Anthropic would refuse if it asked for thinking. */
function mayThink(request: Request, target: ModelName): boolean {
  return !isToolForced(request) && !continuesWithoutThinking(request, target);
}

/** ANT11: a forced tool call excludes thinking. */
function isToolForced({ toolChoice }: Request): boolean {
  return toolChoice !== "auto" && toolChoice !== "none";
}

/** A turn that continues after tool results must have begun with thinking of the same model; other thinking is not sent back. */
function continuesWithoutThinking({ messages }: Request, target: ModelName): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (!messages.slice(last + 1).some(({ role }) => role === "toolResult")) return false;
  const turnStart = messages.findLastIndex((message, at) => at < last && startsTurn(message));
  const replies = messages.slice(turnStart + 1).filter((message) => message.role === "assistant");
  return replies[0]?.content[0]?.type !== "thinking" || !replies.every((reply) => isFromModel(reply, target));
}

function startsTurn({ role }: Message): boolean {
  return role === "user" || role === "system";
}

function isFromModel({ provider, model }: AssistantMessage, target: ModelName): boolean {
  return provider === target.provider && model === target.model;
}

interface ReplyLimits {
  readonly maxTokens: number;
  readonly modelMaxTokens: number;
  /** Tokens that every request below the compaction threshold leaves for the reply, if the caller knows. */
  readonly reserve: number | undefined;
}

function toReplyLimits(
  { replyBudget }: Request,
  { maxTokens, modelMaxTokens = maxTokens }: ConvertOptions,
): ReplyLimits {
  return { maxTokens, modelMaxTokens, reserve: replyBudget?.reserve };
}

/**
 * Null: there is too little room to think. The budget follows from the model and the reserve, not from the room that is left: a changed
 * budget invalidates the cache of all messages. It is halved until it fits only above the threshold, or where the reserve is too small.
 */
function computeThinkingBudget(
  level: Exclude<ThinkingLevel, "off">,
  { maxTokens, modelMaxTokens, reserve = 0 }: ReplyLimits,
): number | null {
  const { ofModel, ofReserve } = budgetShares[level];
  // A reserve without room to think is ignored: the room that is left decides.
  const reserveLimit = reserve >= 2 * MIN_BUDGET_TOKENS ? reserve * ofReserve : Number.POSITIVE_INFINITY;
  let budget = Math.max(MIN_BUDGET_TOKENS, Math.floor(Math.min(modelMaxTokens * ofModel, reserveLimit)));
  while (budget > maxTokens * MAX_BUDGET_SHARE) budget = Math.floor(budget / 2);
  return budget >= MIN_BUDGET_TOKENS ? budget : null;
}

/** Shares of the model's longest reply and of the reserve. The rest is for the answer itself. */
const budgetShares: Readonly<
  Record<Exclude<ThinkingLevel, "off">, { readonly ofModel: number; readonly ofReserve: number }>
> = {
  minimal: { ofModel: 0.05, ofReserve: 0.125 },
  low: { ofModel: 0.1, ofReserve: 0.25 },
  medium: { ofModel: 0.25, ofReserve: 0.5 },
  high: { ofModel: 0.5, ofReserve: 0.75 },
  xhigh: { ofModel: 0.5, ofReserve: 0.75 },
  max: { ofModel: 0.5, ofReserve: 0.75 },
};

const MAX_BUDGET_SHARE = 0.75;

/** The API refuses a smaller budget. */
const MIN_BUDGET_TOKENS = 1024;

function explainNoThinking(request: Request, options: ConvertOptions): string | null {
  const { thinking } = request;
  const { target } = options;
  if (thinking === "off" || !usesThinkingBudget(target)) return null;
  if (isToolForced(request))
    return `Thinking is off for this reply: ${target.model} cannot think when a tool call is required.`;
  if (continuesWithoutThinking(request, target))
    return `Thinking is off until your next message: ${target.model} cannot start thinking in the middle of a turn.`;
  if (computeThinkingBudget(thinking, toReplyLimits(request, options)) !== null) return null;
  return "Thinking is off for this reply: the context leaves too little room to think and to answer. Run /compact, or use a model with a larger context window.";
}

/** A redacted block consists of its signature alone. */
function toReasoningParts({
  thinking,
  thinkingSignature,
  redacted,
}: ThinkingBlock): ReturnType<Protocol["toReasoningParts"]> {
  if (!isOpaque(thinkingSignature)) return [];
  return redacted
    ? [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: thinkingSignature } } }]
    : [{ type: "reasoning", text: thinking, providerOptions: { anthropic: { signature: thinkingSignature } } }];
}

// The package throws on an unknown result. It omits the title of a page without one, and requires it when the page is sent back.
function replayServerTool(run: ServerToolRun): ReturnType<Protocol["replayServerTool"]> {
  if (run.name !== webSearch.name) return [];
  if (run.failed) return typeof Object(run.output).errorCode === "string" ? toServerToolParts(run) : [];
  if (!Array.isArray(run.output) || !run.output.every(isSearchPage)) return [];
  return toServerToolParts({ ...run, output: run.output.map((page) => ({ title: null, pageAge: null, ...page })) });
}

function isSearchPage(page: JSONValue | undefined): page is JSONObject {
  const { type, url, encryptedContent, title = null, pageAge = null } = Object(page);
  const isKnown = [title, pageAge].every((each) => each === null || typeof each === "string");
  return type === "web_search_result" && [url, encryptedContent].every((each) => typeof each === "string") && isKnown;
}

function readThinkingFields({ metadata }: DraftThinking): Pick<ThinkingBlock, "thinkingSignature" | "redacted"> {
  const redactedData = findMetadataText(metadata, "redactedData");
  if (redactedData !== undefined) return { thinkingSignature: redactedData, redacted: true };
  const signature = findMetadataText(metadata, "signature");
  return signature === undefined ? {} : { thinkingSignature: signature };
}
