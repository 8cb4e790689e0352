/** What OpenAI's thinking models refuse that its others take: the old name of the limit, and a temperature. */

import type { Fault } from "../openai/fault.ts";
import type { Body } from "../wire.ts";
import { isThinker } from "./house.ts";

export function* thinkerFaults(body: Body): Generator<Fault> {
  if (!isThinker(body.model)) return;
  const { max_tokens, temperature } = body;
  if (max_tokens !== undefined && max_tokens !== null)
    yield {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: "unsupported_parameter",
    };
  if (typeof temperature === "number" && temperature !== 1 && !isToldNotTo(body))
    yield {
      message: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      code: "unsupported_value",
    };
}

/** From gpt-5.1 on it does not think unless asked, and a temperature is taken while it does not. */
function isToldNotTo({ model, reasoning_effort }: Body): boolean {
  const mayRest = /^gpt-5\.\d/.test(String(model));
  return mayRest && (reasoning_effort ?? "none") === "none";
}
