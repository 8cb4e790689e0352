/** Finds the numbered provider rules that a request breaks, per wire protocol, without sending it. */

import type { ModelName, Request } from "../../model.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { ProviderRule } from "./rule.ts";

/** Every rule the request breaks on its way to this model, e.g. `ANT3 messages[3]: result c7 has no call`. */
export function violations(request: Request, model: ModelName): readonly string[] {
  return providerRules(model.api).flatMap(({ number, breaks }) =>
    breaks(request, model).map((fault) => `${number} ${fault}`),
  );
}

/** The rules of one wire protocol, in pi's spelling of `api`. */
export function providerRules(api: string): readonly ProviderRule[] {
  const rules = rulesOf.get(api);
  if (!rules) throw new Error(`there are no provider rules for api ${api}`);
  return rules;
}

const rulesOf: ReadonlyMap<string, readonly ProviderRule[]> = new Map([
  ["anthropic-messages", anthropic],
  ["openai-responses", openaiResponses],
  ["openai-completions", openaiCompletions],
  ["google-generative-ai", gemini],
]);

/** The protocols that have rules. */
export const allApis: readonly string[] = [...rulesOf.keys()];
