/** Finds the provider rules that a request violates, per wire protocol, without sending it. */

import type { ModelName, Request } from "../../../src/model.ts";
import { anthropicRules } from "./anthropic.ts";
import { geminiRules } from "./gemini.ts";
import { openaiCompletionsRules, openaiResponsesRules } from "./openai.ts";
import type { ProviderRule } from "./rule.ts";

/** The rules of the model's provider that the request violates, e.g. `ANT3 messages[3]: result c7 has no call`. */
export function findRuleViolations(request: Request, model: ModelName): readonly string[] {
  return providerRules(model.api).flatMap(({ id, findViolations }) =>
    findViolations(request, model).map((violation) => `${id} ${violation}`),
  );
}

/** The rules of one wire protocol, in pi's spelling of `api`. */
export function providerRules(api: string): readonly ProviderRule[] {
  const rules = rulesByApi.get(api);
  if (!rules) throw new Error(`there are no provider rules for api ${api}`);
  return rules;
}

const rulesByApi: ReadonlyMap<string, readonly ProviderRule[]> = new Map([
  ["anthropic-messages", anthropicRules],
  ["openai-responses", openaiResponsesRules],
  ["openai-completions", openaiCompletionsRules],
  ["google-generative-ai", geminiRules],
]);

/** The protocols that have rules. */
export const apisWithRules: readonly string[] = [...rulesByApi.keys()];
