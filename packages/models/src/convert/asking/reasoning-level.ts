/** How hard to think, in the words that are taken where the request goes; null where nothing is to be said of it. */

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelName, ThinkingLevel } from "@pith/context";

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
