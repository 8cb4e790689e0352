/** Implements OpenAI Chat Completions, following the API's documentation and compatible servers. */

import { asArray, asObjects, asString, isObject } from "../json.ts";
import { errorBody } from "../openai-errors.ts";
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

export const openaiChat: Protocol = {
  name: "openai-completions",
  matchesPath: (path) => path.endsWith("/chat/completions"),
  readRequest,
  checkRequest,
  readPrompt,
  streamReply,
  formatReply,
  cacheRules: () => PREFIX_CACHE_RULES,
  overflowError: ({ tokens, window }) => ({
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  }),
  errorBody,
  errorEvent: (error) => ({ data: errorBody(error, 500) }),
};

function readRequest({ body }: ProtocolRequest): ReturnType<Protocol["readRequest"]> {
  const messages = asArray(body.messages).filter(isObject);
  const lastNonResult = messages.findLastIndex(({ role }) => role !== "tool" && role !== "function");
  const userTexts = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : asObjects(content).flatMap(({ text }) => text ?? []),
    );
  return {
    model: asString(body.model),
    isStreaming: body.stream === true,
    tools: asObjects(body.tools).map((tool) => asString(isObject(tool.function) ? tool.function.name : tool.type)),
    text: asString(userTexts.at(-1)),
    resultCount: messages.length - 1 - lastNonResult,
  };
}

/** Reads the prompt in the order of OpenAI's cache: tools, messages. Requests with different cache keys share no prefixes. */
function readPrompt({ tools, messages, prompt_cache_key }: Body): Prompt {
  return {
    blocks: [
      ...asArray(tools).map((tool) => createPromptBlock("tools", tool)),
      ...asObjects(messages).map((message) =>
        createPromptBlock(message.role === "system" || message.role === "developer" ? "system" : "messages", message),
      ),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function createPromptBlock(level: PromptBlock["level"], value: unknown): PromptBlock {
  return { level, text: JSON.stringify(value), ttlSeconds: null };
}
