/** Implements OpenAI Responses, as the API documents it and its users have met it. */

import { isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import { gateFaults } from "../openai/checks.ts";
import { errorBody, errorEvent, type Fault, refused } from "../openai/errors.ts";
import {
  type Body,
  longestPrefixes,
  type Piece,
  type Prompt,
  type Refusal,
  type Wire,
  type WireRequest,
} from "../protocol.ts";
import { pairingFaults, reasoningFaults } from "./conversation-checks.ts";
import { itemFaults } from "./item-checks.ts";
import { events, whole } from "./reply.ts";
import { settingFaults } from "./settings-checks.ts";

/** In the order of OpenAI's cache: tools, instructions, input. Requests with different cache keys go to different machines. */
export function prompt({ tools, instructions, input, prompt_cache_key }: Body): Prompt {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  return {
    pieces: [
      ...listOf(tools).map((tool) => piece("tools", tool)),
      ...(typeof instructions === "string" ? [piece("system", instructions)] : []),
      ...items.map((item) => piece("messages", item)),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function piece(level: Piece["level"], value: unknown): Piece {
  return { level, text: JSON.stringify(value), keptFor: null };
}

/** The first fault, in the API's own words where they are known. */
export function refusal(request: WireRequest): Refusal | null {
  for (const fault of faults(request)) return refused(fault);
  return null;
}

function* faults(request: WireRequest): Generator<Fault> {
  yield* gateFaults(request);
  yield* settingFaults(request.body);
  yield* itemFaults(request.body);
  yield* reasoningFaults(request.body);
  yield* pairingFaults(request.body);
}

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
