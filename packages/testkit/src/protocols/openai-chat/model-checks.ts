/** Checks Chat Completions requests for what only OpenAI's reasoning models, or only Groq, refuse. */

import { asArray, isObject } from "../json.ts";
import type { Fault } from "../openai/errors.ts";
import type { Body, ProtocolRequest } from "../protocol.ts";

/** OpenAI's own models take any order of messages; of all other servers the strict ones are imitated. */
export function isOpenAi(model: unknown): boolean {
  return /^(gpt-|chatgpt|o[134](-|$))/.test(String(model));
}

/** OpenAI's models that think before they answer, and take fewer settings. */
export function isReasoningModel(model: unknown): boolean {
  return /^(gpt-5(?!.*-chat)|o[134](-|$))/.test(String(model));
}

export function* checkReasoningModel(body: Body): Generator<Fault> {
  if (!isReasoningModel(body.model)) return;
  const { max_tokens, temperature } = body;
  if (max_tokens !== undefined && max_tokens !== null)
    yield {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: "unsupported_parameter",
    };
  if (typeof temperature === "number" && temperature !== 1 && !hasReasoningOff(body))
    yield {
      message: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      code: "unsupported_value",
    };
}

/** From gpt-5.1 on it does not think unless asked, and a temperature is taken while it does not. */
function hasReasoningOff({ model, reasoning_effort }: Body): boolean {
  const canTurnOff = /^gpt-5\.\d/.test(String(model));
  return canTurnOff && (reasoning_effort ?? "none") === "none";
}

/** Groq refuses `reasoning_content`, which most servers of the protocol pass over. */
export function* checkGroq({ path, body }: ProtocolRequest): Generator<Fault> {
  if (!path.startsWith(GROQ_PATH)) return;
  for (const [index, message] of asArray(body.messages).entries())
    if (isObject(message) && message.role === "assistant" && message.reasoning_content !== undefined)
      yield {
        message: `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property 'reasoning_content' is unsupported)]`,
      };
}

/** The API lives under a path that no other server has. */
const GROQ_PATH = "/openai/v1/";
