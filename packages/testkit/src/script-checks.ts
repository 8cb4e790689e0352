/** Checks the steps of a script: says what is wrong with them and what to write instead. */

import { isObject, type Json } from "./protocols/json.ts";

/** What stands there, as one would call it. */
export function called(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null)
    return `an object with ${Object.keys(value).join(", ") || "nothing in it"}`;
  return JSON.stringify(value);
}

export function* strangers(value: Json, at: string, known: readonly string[]): Generator<string> {
  for (const name of Object.keys(value))
    if (!known.includes(name)) yield `${at} has "${name}", which is not known: write ${known.join(", ")}.`;
}

export function* usageFaults(usage: unknown, at: string): Generator<string> {
  if (usage === "zero" || usage === "none") return;
  if (!isObject(usage))
    return yield `${at}: usage is ${called(usage)}: write "zero", "none" or numbers, as in { "input": 100, "output": 20 }.`;
  yield* numbers(usage, `${at}: usage`, ["input", "cacheRead", "cacheWrite", "output"]);
}

export function* paceFaults(pace: unknown, at: string): Generator<string> {
  if (!isObject(pace)) return yield `${at}: pace is ${called(pace)}: write { "waitMs": 500, "everyMs": 20 }.`;
  yield* numbers(pace, `${at}: pace`, ["waitMs", "everyMs", "chunk"]);
  if (pace.chunk === 0) yield `${at}: pace.chunk is 0: write 1 or more characters.`;
}

export function* breakFaults(breaks: unknown, at: string): Generator<string> {
  const how = isObject(breaks) ? breaks.how : undefined;
  if (!isObject(breaks) || !HOWS.includes(String(how)))
    return yield `${at}: breaks.how is ${called(how)}: write one of ${HOWS.join(", ")}, as in { "how": "cut", "after": 3 }.`;
  yield* strangers(breaks, `${at}: breaks`, ["how", "after", "times", "error"]);
  if (breaks.after !== undefined && !isCount(breaks.after))
    yield `${at}: breaks.after is ${called(breaks.after)}: write how many events come first.`;
  if (how === "repeat" && breaks.after === undefined)
    yield `${at}: breaks.after is missing: write how many events come before the one to repeat.`;
  if (breaks.times !== undefined && (how !== "repeat" || !isCount(breaks.times)))
    yield `${at}: breaks.times is ${called(breaks.times)}: write how often "repeat" sends its event, or leave it out.`;
  const isTold = isObject(breaks.error) && typeof breaks.error.message === "string";
  if (how === "error" && !isTold)
    yield `${at}: breaks.error is ${called(breaks.error)}: write { "type": "overloaded_error", "message": "Overloaded" }.`;
}

const HOWS = ["stall", "cut", "end", "garbage", "repeat", "long-line", "error"];

function* numbers(value: Json, at: string, known: readonly string[]): Generator<string> {
  yield* strangers(value, at, known);
  for (const name of known)
    if (value[name] !== undefined && !isCount(value[name]))
      yield `${at}.${name} is ${called(value[name])}: write a number, 0 or more.`;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

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

export function* stepFaults(step: unknown, at: string): Generator<string> {
  if (typeof step === "string") return;
  if (!isObject(step) || (step.parts === undefined && step.refuse === undefined))
    yield `${at} is ${called(step)}: write a text ("Hello!"), a reply ({ "parts": [...] }) or a refusal ({ "refuse": { "status": 429, "message": "..." } }).`;
  else if (step.refuse !== undefined) yield* refusalFaults(step, at);
  else yield* replyFaults(step, at);
}

function* replyFaults(reply: Json, at: string): Generator<string> {
  yield* strangers(reply, at, ["parts", "stop", "stopAs", "usage", "pace", "breaks"]);
  if (!Array.isArray(reply.parts))
    yield `${at}: parts is ${called(reply.parts)}: write a list, as in [{ "type": "text", "text": "Hello!" }].`;
  else for (const [index, part] of reply.parts.entries()) yield* partFaults(part, `${at}, part ${index + 1}`);
  if (reply.stop !== undefined && !STOPS.includes(String(reply.stop)))
    yield `${at}: stop is ${called(reply.stop)}: write one of ${STOPS.join(", ")}.`;
  if (reply.stopAs !== undefined && typeof reply.stopAs !== "string")
    yield `${at}: stopAs is ${called(reply.stopAs)}: write the provider's word, as in "end_turn".`;
  if (reply.usage !== undefined) yield* usageFaults(reply.usage, at);
  if (reply.pace !== undefined) yield* paceFaults(reply.pace, at);
  if (reply.breaks !== undefined) yield* breakFaults(reply.breaks, at);
}

const STOPS = ["stop", "length", "calls", "refusal", "context-window"];

function* refusalFaults(step: Json, at: string): Generator<string> {
  yield* strangers(step, at, ["refuse"]);
  const { refuse } = step;
  if (!isObject(refuse))
    return yield `${at}: refuse is ${called(refuse)}: write { "status": 429, "message": "slow down" }.`;
  yield* strangers(refuse, `${at}: refuse`, ["status", "message", "type", "code", "headers", "body"]);
  if (!Number.isInteger(refuse.status) || Number(refuse.status) < 400 || Number(refuse.status) > 599)
    yield `${at}: status is ${called(refuse.status)}: write a number from 400 to 599.`;
  if (typeof refuse.message !== "string")
    yield `${at}: message is ${called(refuse.message)}: write what the provider would say.`;
  for (const name of ["type", "code", "body"])
    if (refuse[name] !== undefined && typeof refuse[name] !== "string")
      yield `${at}: ${name} is ${called(refuse[name])}: write a text.`;
  if (refuse.headers !== undefined && !isTexts(refuse.headers))
    yield `${at}: headers is ${called(refuse.headers)}: write texts by name, as in { "retry-after": "2" }.`;
}

function isTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}
