/** Google generateContent: the model stands in the path, a stream is the same reply in pieces, and its last piece is its end. */

import { longestPrefixes } from "../../cache/rules.ts";
import { isObject, type Json, listOf, objectsIn, textOf } from "../shape.ts";
import type { Wire, WireRequest } from "../wire.ts";
import { errorBody, errorEvent } from "./error.ts";
import { addressed } from "./path.ts";
import { prompt } from "./prompt.ts";
import { refusal } from "./refusal.ts";
import { events, whole } from "./reply.ts";
import { inOneSpelling } from "./spelling.ts";

export const google: Wire = {
  name: "google-generative-ai",
  owns: (path) => addressed(path) !== null,
  read,
  inOneSpelling,
  refusal,
  prompt,
  events,
  whole,
  cache: () => longestPrefixes,
  tooLong: ({ tokens, window }) => ({
    type: "INVALID_ARGUMENT",
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  }),
  errorBody,
  errorEvent,
};

function read({ path, body }: WireRequest): ReturnType<Wire["read"]> {
  const { model, streams } = addressed(path) ?? { model: "", streams: false };
  const newest = listOf(body.contents).at(-1);
  const last = isObject(newest) && newest.role !== "model" ? objectsIn(newest.parts) : [];
  return {
    model,
    streams,
    tools: objectsIn(body.tools).flatMap(toolNames),
    text: newestWords(body),
    results: last.filter(({ functionResponse }) => isObject(functionResponse)).length,
  };
}

function toolNames({ functionDeclarations, googleSearch }: Json): readonly string[] {
  const declared = objectsIn(functionDeclarations).map(({ name }) => textOf(name));
  return isObject(googleSearch) ? ["google_search", ...declared] : declared;
}

function newestWords(body: WireRequest["body"]): string {
  const parts = objectsIn(body.contents).flatMap(({ role, parts }) => (role === "model" ? [] : objectsIn(parts)));
  return textOf(parts.findLast(({ text }) => typeof text === "string")?.text);
}
