/** Anthropic Messages, as the API documents it and five programs were seen to speak it. */

import { isObject, listOf, objectsIn, textOf } from "../shape.ts";
import type { Body, Wire, WireRequest } from "../wire.ts";
import { prompt } from "./prompt.ts";
import { refusal } from "./refusal.ts";
import { events, whole } from "./reply.ts";

export const anthropic: Wire = {
  name: "anthropic-messages",
  owns: (path) => path.endsWith("/v1/messages"),
  read,
  refusal,
  prompt,
  events,
  whole,
  cache: (model) => ({ keeps: "marks", least: leastOf(model), step: 1, seconds: 300 }),
  tooLong: ({ tokens, window }) => ({
    type: "invalid_request_error",
    message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
  }),
  errorBody: ({ type, message }, status) => ({ type: "error", error: { type: type ?? typeOf(status), message } }),
  errorEvent: ({ type = "api_error", message }) => ({
    event: "error",
    data: { type: "error", error: { type, message } },
  }),
};

/** Tokens below which a mark keeps nothing. */
function leastOf(model: string): number {
  if (/opus-4[-.][56](?!\d)|haiku-4[-.]5(?!\d)/.test(model)) return 4096;
  return /claude-3.*haiku/.test(model) ? 2048 : 1024;
}

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function read({ body }: WireRequest): ReturnType<Wire["read"]> {
  const newest = listOf(body.messages).at(-1);
  const last = isObject(newest) && newest.role === "user" ? objectsIn(newest.content) : [];
  return {
    model: textOf(body.model),
    streams: body.stream === true,
    tools: objectsIn(body.tools).map(({ name }) => textOf(name)),
    text: userTexts(body).at(-1) ?? "",
    results: last.filter(({ type }) => type === "tool_result").length,
  };
}

function userTexts({ messages }: Body): readonly string[] {
  return objectsIn(messages)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : objectsIn(content).map(({ text }) => text)))
    .filter((text) => typeof text === "string");
}
