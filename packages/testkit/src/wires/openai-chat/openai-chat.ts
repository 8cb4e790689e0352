/** OpenAI Chat Completions, as the API documents it and the many servers that took it over speak it. */

import { longestPrefixes } from "../../cache/rules.ts";
import { errorBody } from "../openai/error.ts";
import { isObject, listOf, objectsIn, textOf } from "../shape.ts";
import type { Wire, WireRequest } from "../wire.ts";
import { prompt } from "./prompt.ts";
import { refusal } from "./refusal.ts";
import { events, whole } from "./reply.ts";

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
