/** Chooses the provider options of a request: storage, cache key, thinking level and thinking budget. */

import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, Message, ModelName, Request, ThinkingLevel } from "@pith/context";

/** False where Anthropic would refuse to think: that one request must go without thinking. */
export function mayThink(request: Request, to: ModelName): boolean {
  return !thinksWithinBudget(to) || !(isForced(request) || goesOnWithoutThought(request, to));
}

/** An older Claude: from 4.6 on it decides for itself when to think and how much; not thinking would lose the cache. */
export function thinksWithinBudget({ api, model }: ModelName): boolean {
  return api === "anthropic-messages" && !thinksAsItLikes(model);
}

function thinksAsItLikes(model: string): boolean {
  const [, major = "0", minor = "0"] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6);
}

/** ANT11: told which tool to call, it does not think. */
function isForced({ toolChoice }: Request): boolean {
  return toolChoice !== "auto" && toolChoice !== "none";
}

/** A turn that goes on after results must have begun with thinking, its own: others' thoughts are not sent, nor lost ones. */
function goesOnWithoutThought({ messages }: Request, to: ModelName): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (!messages.slice(last + 1).some(({ role }) => role === "toolResult")) return false;
  const asked = messages.findLastIndex((message, at) => at < last && opensTurn(message));
  const replies = messages.slice(asked + 1).filter((message) => message.role === "assistant");
  return replies[0]?.content[0]?.type !== "thinking" || !replies.every((reply) => isBy(reply, to));
}

function opensTurn({ role }: Message): boolean {
  return role === "user" || role === "system";
}

function isBy({ provider, model }: AssistantMessage, to: ModelName): boolean {
  return provider === to.provider && model === to.model;
}

export interface ProviderParts {
  readonly to: ModelName;
  readonly cacheKey?: string | undefined;
  /** False: it cannot think, and must not hear of it. */
  readonly thinks?: boolean | undefined;
}

export function providerOptionsFor(
  { thinking, tools }: Pick<Request, "thinking" | "tools">,
  { to, cacheKey, thinks = true }: ProviderParts,
): SharedV4ProviderOptions | null {
  const shared: JSONObject = cacheKey === undefined ? {} : { promptCacheKey: cacheKey };
  switch (to.api) {
    // Its package keeps signs of life to itself unless it is asked for them; one that does not think is never silent for long.
    case "anthropic-messages":
      return thinking === "off" && thinksWithinBudget(to) ? null : { anthropic: { includePings: true } };
    case "openai-responses":
      return {
        openai: { ...shared, ...kept(tools.length > 0), ...(thinks && { reasoningSummary: summary(thinking) }) },
      };
    case "openai-completions":
      return to.provider === "openai" && cacheKey !== undefined ? { openai: shared } : null;
    case "google-generative-ai":
      return thinks && thinking !== "off" ? { google: { thinkingConfig: { includeThoughts: true } } } : null;
    default:
      return null;
  }
}

// The log is the truth: nothing is kept at the provider. Then the package itself asks for encrypted reasoning, of those
// models that have any; the others would refuse to be asked.
function kept(calls: boolean): JSONObject {
  return { store: false, ...(calls && { parallelToolCalls: true }) };
}

// Where nothing is said its package asks for a detailed one, also of a model that thinks because it cannot do without.
function summary(thinking: Request["thinking"]): string | null {
  return thinking === "off" ? null : "auto";
}

export interface OptionsName {
  readonly api: string;
  readonly optionsName?: string | undefined;
}

// Azure's package speaks OpenAI's protocol, but reads its options under a name of its own.
// The first name stays: Anthropic's package reads a signature under no other, whoever built on it.
export function alsoNamed(
  options: LanguageModelV4CallOptions,
  { api, optionsName }: OptionsName,
): LanguageModelV4CallOptions {
  const bundled = bundledNames.get(api);
  if (optionsName === undefined || bundled === undefined) return options;
  const named = <Each extends Bearer>(bearer: Each): Each => withName(bearer, { bundled, optionsName });
  const prompt = options.prompt.map((message) =>
    typeof message.content === "string"
      ? named(message)
      : named({ ...message, content: (message.content as Bearer[]).map(named) } as LanguageModelV4Message),
  );
  return named({
    ...options,
    prompt,
    ...(options.tools && { tools: options.tools.map((tool) => (tool.type === "function" ? named(tool) : tool)) }),
  });
}

interface Bearer {
  readonly providerOptions?: SharedV4ProviderOptions;
}

function withName<Each extends Bearer>(
  bearer: Each,
  { bundled, optionsName }: { readonly bundled: string; readonly optionsName: string },
): Each {
  const fields = bearer.providerOptions?.[bundled];
  return fields ? { ...bearer, providerOptions: { ...bearer.providerOptions, [optionsName]: fields } } : bearer;
}

const bundledNames: ReadonlyMap<string, string> = new Map([
  ["anthropic-messages", "anthropic"],
  ["openai-responses", "openai"],
  ["openai-completions", "openai"],
  ["google-generative-ai", "google"],
]);

export interface AnswerSize {
  /** Tokens that are asked for, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give. */
  readonly longest: number;
  /** Tokens that every request below the compaction threshold leaves for the answer, where the caller knows. */
  readonly reserve?: number | undefined;
}

/**
 * For an older Claude. Null: there is too little room to think in. The budget follows from the model and the reserve, not from what is left:
 * a change of it costs the cache of all messages. Only above the threshold, or where the reserve is too small, it is halved until it fits.
 */
export function thinkingBudget(
  level: Exclude<ThinkingLevel, "off">,
  { maxTokens, longest, reserve = 0 }: AnswerSize,
): number | null {
  const { ofModel, ofReserve } = shares[level];
  // A reserve with no room to think in says nothing: then what is left decides.
  const steady = reserve >= 2 * LEAST_BUDGET ? reserve * ofReserve : Number.POSITIVE_INFINITY;
  let budget = Math.max(LEAST_BUDGET, Math.floor(Math.min(longest * ofModel, steady)));
  while (budget > maxTokens * LARGEST_SHARE) budget = Math.floor(budget / 2);
  return budget >= LEAST_BUDGET ? budget : null;
}

/** Of the longest answer, and of what is left of the window at least. The rest is for the answer itself. */
const shares: Readonly<
  Record<Exclude<ThinkingLevel, "off">, { readonly ofModel: number; readonly ofReserve: number }>
> = {
  minimal: { ofModel: 0.05, ofReserve: 0.125 },
  low: { ofModel: 0.1, ofReserve: 0.25 },
  medium: { ofModel: 0.25, ofReserve: 0.5 },
  high: { ofModel: 0.5, ofReserve: 0.75 },
  xhigh: { ofModel: 0.5, ofReserve: 0.75 },
  max: { ofModel: 0.5, ofReserve: 0.75 },
};

const LARGEST_SHARE = 0.75;

/** Less is refused. */
const LEAST_BUDGET = 1024;

/** Why an older Claude is sent a request without the thinking that was asked for; null where it thinks, or was not asked to. */
export function explainNoThinking(request: Request, to: ModelName, size: AnswerSize): string | null {
  const { thinking } = request;
  if (thinking === "off" || !thinksWithinBudget(to)) return null;
  if (isForced(request)) return `Thinking is off for this reply: ${to.model} cannot think when it must call a tool.`;
  if (goesOnWithoutThought(request, to))
    return `Thinking is off until your next message: ${to.model} cannot start to think in the middle of a turn.`;
  if (thinkingBudget(thinking, size) !== null) return null;
  return "Thinking is off for this reply: the context leaves too little room to think and to answer. Run /compact, or use a model with a larger context window.";
}

/** As the package takes it, which asks for thoughts and answer together. */
export function budgeted(budget: number | null): JSONObject {
  return { thinking: budget === null ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
}

/** The level in the words that the endpoint accepts; null where none is sent. */
export function reasoningLevel(thinking: ThinkingLevel, to: ModelName): Reasoning | null {
  if (thinking === "off") return mayBeToldNotTo(to) ? "none" : null;
  return takesThreeLevels(to) ? (nearest[thinking] ?? thinking) : thinking;
}

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

// Their packages know what each model can do instead. Servers of other protocols get the word as it is, and refuse it.
function mayBeToldNotTo(to: ModelName): boolean {
  return ["anthropic-messages", "openai-responses", "google-generative-ai"].includes(to.api) && !isEarlyThinker(to);
}

function takesThreeLevels(to: ModelName): boolean {
  return (to.api === "openai-completions" && to.provider !== "openai") || isEarlyThinker(to);
}

/** OpenAI's first thinking models, whose levels its package does not know: it hands on whatever it is told. */
function isEarlyThinker({ api, model }: ModelName): boolean {
  return api.startsWith("openai-") && /^o\d/.test(model);
}

const nearest: { readonly [Level in ThinkingLevel]?: Reasoning } = { minimal: "low", xhigh: "high", max: "high" };
