/** What each provider wants to be told besides the conversation. */

import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelName, Request } from "@pith/context";

export interface ProviderParts {
  readonly to: ModelName;
  readonly cacheKey?: string | undefined;
}

export function providerOptionsFor(
  { thinking, tools }: Pick<Request, "thinking" | "tools">,
  { to, cacheKey }: ProviderParts,
): SharedV4ProviderOptions | null {
  const thinks = thinking !== "off";
  const shared: JSONObject = cacheKey === undefined ? {} : { promptCacheKey: cacheKey };
  switch (to.api) {
    case "openai-responses":
      return { openai: { ...shared, ...responsesOptions({ thinks, calls: tools.length > 0 }) } };
    case "openai-completions":
      return to.provider === "openai" && cacheKey !== undefined ? { openai: shared } : null;
    case "google-generative-ai":
      return thinks ? { google: { thinkingConfig: { includeThoughts: true } } } : null;
    default:
      return null;
  }
}

// The log is the truth: nothing is kept at the provider. Then the package itself asks for encrypted reasoning, of those
// models that have any; the others would refuse to be asked.
function responsesOptions({ thinks, calls }: { readonly thinks: boolean; readonly calls: boolean }): JSONObject {
  return { store: false, ...(calls && { parallelToolCalls: true }), ...(thinks && { reasoningSummary: "auto" }) };
}
