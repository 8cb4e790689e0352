/** OpenAI Responses, as the API documents it and its users have met it. */

import { longestPrefixes } from "../../cache/rules.ts";
import { errorBody, errorEvent } from "../openai/error.ts";
import { isObject, type Json, listOf, objectsIn, textOf } from "../shape.ts";
import type { Wire, WireRequest } from "../wire.ts";
import { prompt } from "./prompt.ts";
import { refusal } from "./refusal.ts";
import { events, whole } from "./reply.ts";

export const openaiResponses: Wire = {
  name: "openai-responses",
  owns: (path) => path.endsWith("/v1/responses"),
  read,
  refusal,
  prompt,
  events,
  whole,
  cache: () => longestPrefixes,
  tooLong: () => ({
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  }),
  errorBody,
  errorEvent,
};

function read({ body }: WireRequest): ReturnType<Wire["read"]> {
  const items =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : listOf(body.input).filter(isObject);
  const lastOther = items.findLastIndex((item) => item.type !== "function_call_output");
  return {
    model: textOf(body.model),
    streams: body.stream === true,
    tools: objectsIn(body.tools).map(({ name, type }) => textOf(name ?? type)),
    text: newestText(items),
    results: items.length - 1 - lastOther,
  };
}

function newestText(items: readonly Json[]): string {
  const texts = items
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : objectsIn(content).flatMap(({ text }) => text ?? []),
    );
  return textOf(texts.at(-1));
}
