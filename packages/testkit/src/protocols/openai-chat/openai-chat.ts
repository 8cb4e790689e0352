/** Implements OpenAI Chat Completions, as the API documents it and compatible servers speak it. */

import { asArray, asObjects, asString, isObject } from "../json.ts";
import { checkKeyAndSize } from "../openai/checks.ts";
import { errorBody, type Fault, toRefusal } from "../openai/errors.ts";
import {
  type Body,
  PREFIX_CACHE_RULES,
  type Prompt,
  type PromptBlock,
  type Protocol,
  type ProtocolRequest,
  type Refusal,
} from "../protocol.ts";
import { checkConversation } from "./conversation-checks.ts";
import { checkMessages } from "./message-checks.ts";
import { checkGroq, checkReasoningModel } from "./model-checks.ts";
import { formatReply, streamReply } from "./reply.ts";
import { checkSettings } from "./settings-checks.ts";

/** In the order of OpenAI's cache: tools, then messages. Requests with different cache keys go to different machines. */
export function readPrompt({ tools, messages, prompt_cache_key }: Body): Prompt {
  return {
    pieces: [
      ...asArray(tools).map((tool) => createPromptBlock("tools", tool)),
      ...asObjects(messages).map((message) =>
        createPromptBlock(message.role === "system" || message.role === "developer" ? "system" : "messages", message),
      ),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function createPromptBlock(level: PromptBlock["level"], value: unknown): PromptBlock {
  return { level, text: JSON.stringify(value), keptFor: null };
}

/** The first fault that OpenAI, or the strictest server of the protocol, finds. */
export function checkRequest(request: ProtocolRequest): Refusal | null {
  for (const fault of checkAll(request)) return toRefusal(fault);
  return null;
}

function* checkAll(request: ProtocolRequest): Generator<Fault> {
  yield* checkKeyAndSize(request);
  yield* checkSettings(request.body);
  yield* checkReasoningModel(request.body);
  yield* checkMessages(request.body);
  yield* checkGroq(request);
  yield* checkConversation(request.body);
}

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
