/** What is wrong with one part of a reply, and what to write instead. */

import { isObject, type Json } from "../wires/shape.ts";
import { called, strangers } from "./said-of.ts";

export function* partFaults(part: unknown, at: string): Generator<string> {
  if (!isObject(part)) return yield `${at} is ${called(part)}: write { "type": "text", "text": "Hello!" }.`;
  switch (part.type) {
    case "text":
      yield* strangers(part, at, ["type", "text"]);
      yield* textFaults(part, at);
      return;
    case "thinking":
      yield* strangers(part, at, ["type", "text", "redacted"]);
      yield* textFaults(part, at);
      if (part.redacted !== undefined && typeof part.redacted !== "boolean")
        yield `${at}: redacted is ${called(part.redacted)}: write true or false.`;
      return;
    case "call":
      yield* callFaults(part, at);
      return;
    case "search":
      yield* searchFaults(part, at);
      return;
    default:
      yield `${at}: type is ${called(part.type)}: write "text", "thinking", "call" or "search".`;
  }
}

function* textFaults({ text }: Json, at: string): Generator<string> {
  if (typeof text !== "string") yield `${at}: text is ${called(text)}: write what is to be said.`;
}

function* callFaults(part: Json, at: string): Generator<string> {
  yield* strangers(part, at, ["type", "name", "arguments", "id"]);
  if (typeof part.name !== "string") yield `${at}: name is ${called(part.name)}: write the tool's name, as in "read".`;
  if (!isObject(part.arguments))
    yield `${at}: arguments is ${called(part.arguments)}: write an object, as in { "path": "a.txt" }.`;
  if (part.id !== undefined && typeof part.id !== "string")
    yield `${at}: id is ${called(part.id)}: write a text, or leave it out.`;
}

function* searchFaults(part: Json, at: string): Generator<string> {
  yield* strangers(part, at, ["type", "query", "results", "error"]);
  if (typeof part.query !== "string") yield `${at}: query is ${called(part.query)}: write what is looked for.`;
  if (part.error !== undefined && typeof part.error !== "string")
    yield `${at}: error is ${called(part.error)}: write the provider's word, as in "max_uses_exceeded".`;
  if (!Array.isArray(part.results))
    return yield `${at}: results is ${called(part.results)}: write a list, as in [{ "title": "A page", "url": "https://example.org" }].`;
  for (const [index, result] of part.results.entries()) yield* resultFaults(result, `${at}, result ${index + 1}`);
}

function* resultFaults(result: unknown, at: string): Generator<string> {
  if (!isObject(result))
    return yield `${at} is ${called(result)}: write { "title": "A page", "url": "https://example.org" }.`;
  yield* strangers(result, at, ["title", "url"]);
  if (typeof result.url !== "string") yield `${at}: url is ${called(result.url)}: write an address.`;
  if (result.title !== null && typeof result.title !== "string")
    yield `${at}: title is ${called(result.title)}: write a text, or null for a page without one.`;
}
