/** Implements OpenAI Chat Completions, as the API documents it and compatible servers speak it. */

import { isObject, listOf, objectsIn, textOf } from "../json.ts";
import { gateFaults } from "../openai/checks.ts";
import { errorBody, type Fault, refused } from "../openai/errors.ts";
import {
  type Body,
  longestPrefixes,
  type Piece,
  type Prompt,
  type Refusal,
  type Wire,
  type WireRequest,
} from "../protocol.ts";
import { conversationFaults } from "./conversation-checks.ts";
import { messageFaults } from "./message-checks.ts";
import { groqFaults, thinkerFaults } from "./model-checks.ts";
import { events, whole } from "./reply.ts";
import { settingFaults } from "./settings-checks.ts";

/** In the order of OpenAI's cache: tools, then messages. Requests with different cache keys go to different machines. */
export function prompt({ tools, messages, prompt_cache_key }: Body): Prompt {
  return {
    pieces: [
      ...listOf(tools).map((tool) => piece("tools", tool)),
      ...objectsIn(messages).map((message) =>
        piece(message.role === "system" || message.role === "developer" ? "system" : "messages", message),
      ),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function piece(level: Piece["level"], value: unknown): Piece {
  return { level, text: JSON.stringify(value), keptFor: null };
}

/** The first fault that OpenAI, or the strictest server of the protocol, finds. */
export function refusal(request: WireRequest): Refusal | null {
  for (const fault of faults(request)) return refused(fault);
  return null;
}

function* faults(request: WireRequest): Generator<Fault> {
  yield* gateFaults(request);
  yield* settingFaults(request.body);
  yield* thinkerFaults(request.body);
  yield* messageFaults(request.body);
  yield* groqFaults(request);
  yield* conversationFaults(request.body);
}

export const openaiChat: Wire = {
  name: "openai-completions",
  owns: (path) => path.endsWith("/chat/completions"),
  read,
  refusal,
  prompt,
  events,
  whole,
  cache: () => longestPrefixes,
  tooLong: ({ tokens, window }) => ({
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  }),
  errorBody,
  errorEvent: (error) => ({ data: errorBody(error, 500) }),
};

function read({ body }: WireRequest): ReturnType<Wire["read"]> {
  const messages = listOf(body.messages).filter(isObject);
  const lastOther = messages.findLastIndex(({ role }) => role !== "tool" && role !== "function");
  const texts = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : objectsIn(content).flatMap(({ text }) => text ?? []),
    );
  return {
    model: textOf(body.model),
    streams: body.stream === true,
    tools: objectsIn(body.tools).map((tool) => textOf(isObject(tool.function) ? tool.function.name : tool.type)),
    text: textOf(texts.at(-1)),
    results: messages.length - 1 - lastOther,
  };
}
