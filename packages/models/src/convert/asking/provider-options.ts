/** What each provider wants to be told besides the conversation. */

import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelName, Request } from "@pith/context";
import { thinksWithinBudget } from "./may-think.ts";

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
