/** A request as the AI SDK's language models take it. */

import type { LanguageModelV4CallOptions, LanguageModelV4ToolChoice } from "@ai-sdk/provider";
import type { ModelName, Request, ToolChoice } from "@pith/context";
import { declaredTools } from "./declared-tools.ts";
import { mayThink, thinksWithinBudget } from "./may-think.ts";
import { promptOf } from "./prompt-of.ts";
import { providerOptionsFor } from "./provider-options.ts";
import { budgeted, thinkingBudget } from "./thinking-budget.ts";

export interface CallParts {
  readonly to: ModelName;
  /** Tokens of the answer at most, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give; as many where nothing is said. */
  readonly longest?: number | undefined;
  /** Whose requests share a prefix; OpenAI sends those with the same key to the same cache. */
  readonly cacheKey?: string | undefined;
}

/** What `doStream` is called with; the caller adds its signal. */
export function callOptions(request: Request, parts: CallParts): LanguageModelV4CallOptions {
  const { to } = parts;
  const tools = declaredTools(request, to);
  return {
    prompt: promptOf(request, to),
    ...(tools.length > 0 && { tools, toolChoice: choiceOf(request.toolChoice) }),
    ...thinkingAndLength(request, parts),
  };
}

type Thinking = Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;

function thinkingAndLength(request: Request, parts: CallParts): Thinking {
  const { to, maxTokens, longest = maxTokens } = parts;
  const { thinking } = request;
  if (thinking !== "off" && thinksWithinBudget(to)) {
    const budget = mayThink(request, to) ? thinkingBudget(thinking, { maxTokens, longest }) : null;
    return { maxOutputTokens: maxTokens - (budget ?? 0), providerOptions: { anthropic: budgeted(budget) } };
  }
  const providerOptions = providerOptionsFor(request, parts);
  const reasoning = reasoningFor(request, to);
  return { maxOutputTokens: maxTokens, ...(reasoning && { reasoning }), ...(providerOptions && { providerOptions }) };
}

function choiceOf(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function reasoningFor({ thinking }: Request, to: ModelName): Reasoning | null {
  if (thinking !== "off") return thinking;
  // Many servers of this protocol refuse an effort they do not know, `none` among them.
  return to.api === "openai-completions" && to.provider !== "openai" ? null : "none";
}

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;
