/** A request as the AI SDK's language models take it. */

import type { LanguageModelV4CallOptions, LanguageModelV4ToolChoice } from "@ai-sdk/provider";
import type { ModelName, Request, ToolChoice } from "@pith/context";
import { declaredTools } from "./declared-tools.ts";
import { mayThink, thinksWithinBudget } from "./may-think.ts";
import { alsoNamed } from "./options-name.ts";
import { promptOf } from "./prompt-of.ts";
import { providerOptionsFor } from "./provider-options.ts";
import { reasoningLevel } from "./reasoning-level.ts";
import { budgeted, thinkingBudget } from "./thinking-budget.ts";

export interface CallParts {
  readonly to: ModelName;
  /** Tokens of the answer at most, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give; as many where nothing is said. */
  readonly longest?: number | undefined;
  /** Whose requests share a prefix; OpenAI sends those with the same key to the same cache. */
  readonly cacheKey?: string | undefined;
  /** False: it cannot think. It is not told to stop either, which would be refused. */
  readonly thinks?: boolean | undefined;
  /** Under which its package reads provider options, where that is another name than the bundled package's. */
  readonly optionsName?: string | undefined;
}

/** What `doStream` is called with; the caller adds its signal. */
export function callOptions(request: Request, parts: CallParts): LanguageModelV4CallOptions {
  const { to, optionsName } = parts;
  const tools = declaredTools(request, to);
  const options = {
    prompt: promptOf(request, to),
    ...(tools.length > 0 && { tools, toolChoice: choiceOf(request.toolChoice) }),
    ...thinkingAndLength(request, parts),
  };
  return alsoNamed(options, { api: to.api, optionsName });
}

type Thinking = Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;

function thinkingAndLength(request: Request, parts: CallParts): Thinking {
  const { to, maxTokens, longest = maxTokens, thinks = true } = parts;
  const { thinking } = request;
  const providerOptions = providerOptionsFor(request, parts);
  if (thinks && thinking !== "off" && thinksWithinBudget(to)) {
    const budget = mayThink(request, to) ? thinkingBudget(thinking, { maxTokens, longest }) : null;
    const anthropic = { ...providerOptions?.anthropic, ...budgeted(budget) };
    return { maxOutputTokens: maxTokens - (budget ?? 0), providerOptions: { anthropic } };
  }
  const reasoning = thinks ? reasoningLevel(thinking, to) : null;
  return { maxOutputTokens: maxTokens, ...(reasoning && { reasoning }), ...(providerOptions && { providerOptions }) };
}

function choiceOf(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}
