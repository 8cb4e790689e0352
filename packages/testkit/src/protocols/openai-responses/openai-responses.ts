/** Implements OpenAI Responses, following the API's documentation and reported behaviour. */

import { asArray, asObjects, asString, isObject, type Json } from "../json.ts";
import { errorBody, errorEvent } from "../openai-errors.ts";
import {
  type Body,
  PREFIX_CACHE_RULES,
  type Prompt,
  type PromptBlock,
  type Protocol,
  type ProtocolRequest,
} from "../protocol.ts";
import { checkRequest } from "./checks.ts";
import { formatReply, streamReply } from "./reply.ts";

export const openaiResponses: Protocol = {
  name: "openai-responses",
  matchesPath: (path) => path.endsWith("/v1/responses"),
  readRequest,
  checkRequest,
  readPrompt,
  streamReply,
  formatReply,
  cacheRules: () => PREFIX_CACHE_RULES,
  overflowError: () => ({
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  }),
  errorBody,
  errorEvent,
};

function readRequest({ body }: ProtocolRequest): ReturnType<Protocol["readRequest"]> {
  const items =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : asArray(body.input).filter(isObject);
  const lastNonResult = items.findLastIndex((item) => item.type !== "function_call_output");
  return {
    model: asString(body.model),
    isStreaming: body.stream === true,
    tools: asObjects(body.tools).map(({ name, type }) => asString(name ?? type)),
    text: lastUserText(items),
    resultCount: items.length - 1 - lastNonResult,
  };
}

function lastUserText(items: readonly Json[]): string {
  const texts = items
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : asObjects(content).flatMap(({ text }) => text ?? []),
    );
  return asString(texts.at(-1));
}

/** Reads the prompt in the order of OpenAI's cache: tools, instructions, input. Requests with different cache keys share no prefixes. */
function readPrompt({ tools, instructions, input, prompt_cache_key }: Body): Prompt {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : asArray(input);
  return {
    blocks: [
      ...asArray(tools).map((tool) => createPromptBlock("tools", tool)),
      ...(typeof instructions === "string" ? [createPromptBlock("system", instructions)] : []),
      ...items.map((item) => createPromptBlock("messages", item)),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function createPromptBlock(level: PromptBlock["level"], value: unknown): PromptBlock {
  return { level, text: JSON.stringify(value), ttlSeconds: null };
}
