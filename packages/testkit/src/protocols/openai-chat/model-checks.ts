/** Checks Chat Completions requests for what only OpenAI's reasoning models, or only Groq, refuse. */

import { isObject, listOf } from "../json.ts";
import type { Fault } from "../openai/errors.ts";
import type { Body, WireRequest } from "../protocol.ts";

/** OpenAI's own models take any order of messages; of all other servers the strict ones are imitated. */
export function isOpenAi(model: unknown): boolean {
  return /^(gpt-|chatgpt|o[134](-|$))/.test(String(model));
}

/** OpenAI's models that think before they answer, and take fewer settings. */
export function isThinker(model: unknown): boolean {
  return /^(gpt-5(?!.*-chat)|o[134](-|$))/.test(String(model));
}

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

/** Groq refuses `reasoning_content`, which most servers of the protocol pass over. */
export function* groqFaults({ path, body }: WireRequest): Generator<Fault> {
  if (!path.startsWith(GROQ)) return;
  for (const [at, message] of listOf(body.messages).entries())
    if (isObject(message) && message.role === "assistant" && message.reasoning_content !== undefined)
      yield {
        message: `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning_content' is unsupported)]`,
      };
}

/** The API lives under a path that no other server has. */
const GROQ = "/openai/v1/";
