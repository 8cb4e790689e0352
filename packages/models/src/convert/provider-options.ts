/** Chooses the provider options of a request: storage, cache key, thinking level and thinking budget. */

import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, Message, ModelName, Request, ThinkingLevel } from "@pith/context";

/** False where Anthropic would refuse to think: that one request must go without thinking. */
export function mayThink(request: Request, target: ModelName): boolean {
  return !usesThinkingBudget(target) || !(isToolForced(request) || continuesWithoutThinking(request, target));
}

/** An older Claude: from 4.6 on it decides for itself when to think and how much; not thinking would lose the cache. */
export function usesThinkingBudget({ api, model }: ModelName): boolean {
  return api === "anthropic-messages" && !usesAdaptiveThinking(model);
}

function usesAdaptiveThinking(model: string): boolean {
  const [, major = "0", minor = "0"] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6);
}

/** ANT11: told which tool to call, it does not think. */
function isToolForced({ toolChoice }: Request): boolean {
  return toolChoice !== "auto" && toolChoice !== "none";
}

/** A turn that goes on after results must have begun with thinking, its own: others' thoughts are not sent, nor lost ones. */
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

export interface ProviderOptionsContext {
  readonly target: ModelName;
  readonly cacheKey?: string | undefined;
  /** False: it cannot think, and must not hear of it. */
  readonly supportsThinking?: boolean | undefined;
}

export function buildProviderOptions(
  { thinking, tools }: Pick<Request, "thinking" | "tools">,
  { target, cacheKey, supportsThinking = true }: ProviderOptionsContext,
): SharedV4ProviderOptions | null {
  const shared: JSONObject = cacheKey === undefined ? {} : { promptCacheKey: cacheKey };
  switch (target.api) {
    // Its package keeps signs of life to itself unless it is asked for them; one that does not think is never silent for long.
    case "anthropic-messages":
      return thinking === "off" && usesThinkingBudget(target) ? null : { anthropic: { includePings: true } };
    case "openai-responses":
      return {
        openai: {
          ...shared,
          ...storageOptions(tools.length > 0),
          ...(supportsThinking && { reasoningSummary: summaryMode(thinking) }),
        },
      };
    case "openai-completions":
      return target.provider === "openai" && cacheKey !== undefined ? { openai: shared } : null;
    case "google-generative-ai":
      return supportsThinking && thinking !== "off" ? { google: { thinkingConfig: { includeThoughts: true } } } : null;
    default:
      return null;
  }
}

// The log is the truth: nothing is kept at the provider. Then the package itself asks for encrypted reasoning, of those
// models that have any; the others would refuse to be asked.
function storageOptions(hasTools: boolean): JSONObject {
  return { store: false, ...(hasTools && { parallelToolCalls: true }) };
}

// Where nothing is said its package asks for a detailed one, also of a model that thinks because it cannot do without.
function summaryMode(thinking: Request["thinking"]): string | null {
  return thinking === "off" ? null : "auto";
}

export interface OptionsKeyTarget {
  readonly api: string;
  readonly optionsKey?: string | undefined;
}

// Azure's package speaks OpenAI's protocol, but reads its options under a name of its own.
// The first name stays: Anthropic's package reads a signature under no other, whoever built on it.
export function copyOptionsToKey(
  options: LanguageModelV4CallOptions,
  { api, optionsKey }: OptionsKeyTarget,
): LanguageModelV4CallOptions {
  const bundledKey = bundledOptionsKeys.get(api);
  if (optionsKey === undefined || bundledKey === undefined) return options;
  const withCopy = <Each extends HasProviderOptions>(item: Each): Each =>
    copyProviderOptions(item, { bundledKey, optionsKey });
  const prompt = options.prompt.map((message) =>
    typeof message.content === "string"
      ? withCopy(message)
      : withCopy({
          ...message,
          content: (message.content as HasProviderOptions[]).map(withCopy),
        } as LanguageModelV4Message),
  );
  return withCopy({
    ...options,
    prompt,
    ...(options.tools && { tools: options.tools.map((tool) => (tool.type === "function" ? withCopy(tool) : tool)) }),
  });
}

interface HasProviderOptions {
  readonly providerOptions?: SharedV4ProviderOptions;
}

function copyProviderOptions<Each extends HasProviderOptions>(
  item: Each,
  { bundledKey, optionsKey }: { readonly bundledKey: string; readonly optionsKey: string },
): Each {
  const fields = item.providerOptions?.[bundledKey];
  return fields ? { ...item, providerOptions: { ...item.providerOptions, [optionsKey]: fields } } : item;
}

const bundledOptionsKeys: ReadonlyMap<string, string> = new Map([
  ["anthropic-messages", "anthropic"],
  ["openai-responses", "openai"],
  ["openai-completions", "openai"],
  ["google-generative-ai", "google"],
]);

export interface ReplyLimits {
  /** Tokens that are asked for, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give. */
  readonly modelMaxTokens: number;
  /** Tokens that every request below the compaction threshold leaves for the answer, where the caller knows. */
  readonly reserve?: number | undefined;
}

/**
 * For an older Claude. Null: there is too little room to think in. The budget follows from the model and the reserve, not from what is left:
 * a change of it costs the cache of all messages. Only above the threshold, or where the reserve is too small, it is halved until it fits.
 */
export function computeThinkingBudget(
  level: Exclude<ThinkingLevel, "off">,
  { maxTokens, modelMaxTokens, reserve = 0 }: ReplyLimits,
): number | null {
  const { ofModel, ofReserve } = budgetShares[level];
  // A reserve with no room to think in says nothing: then what is left decides.
  const reserveLimit = reserve >= 2 * MIN_BUDGET_TOKENS ? reserve * ofReserve : Number.POSITIVE_INFINITY;
  let budget = Math.max(MIN_BUDGET_TOKENS, Math.floor(Math.min(modelMaxTokens * ofModel, reserveLimit)));
  while (budget > maxTokens * MAX_BUDGET_SHARE) budget = Math.floor(budget / 2);
  return budget >= MIN_BUDGET_TOKENS ? budget : null;
}

/** Of the longest answer, and of what is left of the window at least. The rest is for the answer itself. */
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

/** Less is refused. */
const MIN_BUDGET_TOKENS = 1024;

/** Why an older Claude is sent a request without the thinking that was asked for; null where it thinks, or was not asked to. */
export function explainNoThinking(request: Request, target: ModelName, limits: ReplyLimits): string | null {
  const { thinking } = request;
  if (thinking === "off" || !usesThinkingBudget(target)) return null;
  if (isToolForced(request))
    return `Thinking is off for this reply: ${target.model} cannot think when it must call a tool.`;
  if (continuesWithoutThinking(request, target))
    return `Thinking is off until your next message: ${target.model} cannot start to think in the middle of a turn.`;
  if (computeThinkingBudget(thinking, limits) !== null) return null;
  return "Thinking is off for this reply: the context leaves too little room to think and to answer. Run /compact, or use a model with a larger context window.";
}

/** As the package takes it, which asks for thoughts and answer together. */
export function toThinkingOptions(budget: number | null): JSONObject {
  return { thinking: budget === null ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
}

/** The level in the words that the endpoint accepts; null where none is sent. */
export function toReasoningLevel(thinking: ThinkingLevel, target: ModelName): ReasoningLevel | null {
  if (thinking === "off") return canDisableReasoning(target) ? "none" : null;
  return supportsThreeLevelsOnly(target) ? (nearestLevels[thinking] ?? thinking) : thinking;
}

type ReasoningLevel = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

// Their packages know what each model can do instead. Servers of other protocols get the word as it is, and refuse it.
function canDisableReasoning(target: ModelName): boolean {
  return (
    ["anthropic-messages", "openai-responses", "google-generative-ai"].includes(target.api) &&
    !isEarlyReasoningModel(target)
  );
}

function supportsThreeLevelsOnly(target: ModelName): boolean {
  return (target.api === "openai-completions" && target.provider !== "openai") || isEarlyReasoningModel(target);
}

/** OpenAI's first thinking models, whose levels its package does not know: it hands on whatever it is told. */
function isEarlyReasoningModel({ api, model }: ModelName): boolean {
  return api.startsWith("openai-") && /^o\d/.test(model);
}

const nearestLevels: { readonly [Level in ThinkingLevel]?: ReasoningLevel } = {
  minimal: "low",
  xhigh: "high",
  max: "high",
};
