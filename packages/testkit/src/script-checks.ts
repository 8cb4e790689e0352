/** Checks the steps of a script. Each message names the fault and shows a valid value. */

import { isObject, type Json } from "./protocols/json.ts";

export function* checkStep(step: unknown, path: string): Generator<string> {
  if (typeof step === "string") return;
  if (!isObject(step) || (step.parts === undefined && step.refuse === undefined))
    yield `${path} is ${describeValue(step)}: write a string ("Hello!"), a reply ({ "parts": [...] }) or a refusal ({ "refuse": { "status": 429, "message": "..." } }).`;
  else if (step.refuse !== undefined) yield* checkRefusal(step, path);
  else yield* checkReply(step, path);
}

/** Describes a value for an error message. */
function describeValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null)
    return Object.keys(value).length === 0 ? "an empty object" : `an object with ${Object.keys(value).join(", ")}`;
  return JSON.stringify(value);
}

function* checkRefusal(step: Json, path: string): Generator<string> {
  yield* checkUnknownKeys(step, path, ["refuse"]);
  const { refuse } = step;
  if (!isObject(refuse))
    return yield `${path}: refuse is ${describeValue(refuse)}: write { "status": 429, "message": "slow down" }.`;
  yield* checkUnknownKeys(refuse, `${path}: refuse`, ["status", "message", "type", "code", "headers", "body"]);
  if (!Number.isInteger(refuse.status) || Number(refuse.status) < 400 || Number(refuse.status) > 599)
    yield `${path}: status is ${describeValue(refuse.status)}: write a number from 400 to 599.`;
  if (typeof refuse.message !== "string")
    yield `${path}: message is ${describeValue(refuse.message)}: write the provider's error message.`;
  for (const name of ["type", "code", "body"])
    if (refuse[name] !== undefined && typeof refuse[name] !== "string")
      yield `${path}: ${name} is ${describeValue(refuse[name])}: write a string.`;
  if (refuse.headers !== undefined && !isStringRecord(refuse.headers))
    yield `${path}: headers is ${describeValue(refuse.headers)}: write an object of strings, as in { "retry-after": "2" }.`;
}

function* checkUnknownKeys(value: Json, path: string, knownKeys: readonly string[]): Generator<string> {
  for (const name of Object.keys(value))
    if (!knownKeys.includes(name)) yield `${path} has "${name}", which is unknown. Use ${knownKeys.join(", ")}.`;
}

function isStringRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function* checkReply(reply: Json, path: string): Generator<string> {
  yield* checkUnknownKeys(reply, path, ["parts", "stop", "stopAs", "usage", "pace", "breaks"]);
  if (!Array.isArray(reply.parts))
    yield `${path}: parts is ${describeValue(reply.parts)}: write a list, as in [{ "type": "text", "text": "Hello!" }].`;
  else for (const [index, part] of reply.parts.entries()) yield* checkPart(part, `${path}, part ${index + 1}`);
  if (reply.stop !== undefined && !STOP_REASONS.includes(String(reply.stop)))
    yield `${path}: stop is ${describeValue(reply.stop)}: write one of ${STOP_REASONS.join(", ")}.`;
  if (reply.stopAs !== undefined && typeof reply.stopAs !== "string")
    yield `${path}: stopAs is ${describeValue(reply.stopAs)}: write the provider's stop reason, as in "end_turn".`;
  if (reply.usage !== undefined) yield* checkUsage(reply.usage, path);
  if (reply.pace !== undefined) yield* checkPace(reply.pace, path);
  if (reply.breaks !== undefined) yield* checkBreak(reply.breaks, path);
}

function* checkPart(part: unknown, path: string): Generator<string> {
  if (!isObject(part)) return yield `${path} is ${describeValue(part)}: write { "type": "text", "text": "Hello!" }.`;
  switch (part.type) {
    case "text":
      yield* checkUnknownKeys(part, path, ["type", "text"]);
      yield* checkText(part, path);
      return;
    case "thinking":
      yield* checkUnknownKeys(part, path, ["type", "text", "redacted"]);
      yield* checkText(part, path);
      if (part.redacted !== undefined && typeof part.redacted !== "boolean")
        yield `${path}: redacted is ${describeValue(part.redacted)}: write true or false.`;
      return;
    case "call":
      yield* checkCall(part, path);
      return;
    case "search":
      yield* checkSearch(part, path);
      return;
    default:
      yield `${path}: type is ${describeValue(part.type)}: write "text", "thinking", "call" or "search".`;
  }
}

function* checkText({ text }: Json, path: string): Generator<string> {
  if (typeof text !== "string") yield `${path}: text is ${describeValue(text)}: write a string.`;
}

function* checkCall(part: Json, path: string): Generator<string> {
  yield* checkUnknownKeys(part, path, ["type", "name", "arguments", "id"]);
  if (typeof part.name !== "string")
    yield `${path}: name is ${describeValue(part.name)}: write the tool's name, as in "read".`;
  if (!isObject(part.arguments))
    yield `${path}: arguments is ${describeValue(part.arguments)}: write an object, as in { "path": "a.txt" }.`;
  if (part.id !== undefined && typeof part.id !== "string")
    yield `${path}: id is ${describeValue(part.id)}: write a string, or omit it.`;
}

function* checkSearch(part: Json, path: string): Generator<string> {
  yield* checkUnknownKeys(part, path, ["type", "query", "results", "error"]);
  if (typeof part.query !== "string") yield `${path}: query is ${describeValue(part.query)}: write the search query.`;
  if (part.error !== undefined && typeof part.error !== "string")
    yield `${path}: error is ${describeValue(part.error)}: write the provider's error code, as in "max_uses_exceeded".`;
  if (!Array.isArray(part.results))
    return yield `${path}: results is ${describeValue(part.results)}: write a list, as in [{ "title": "A page", "url": "https://example.org" }].`;
  for (const [index, result] of part.results.entries()) yield* checkResult(result, `${path}, result ${index + 1}`);
}

function* checkResult(result: unknown, path: string): Generator<string> {
  if (!isObject(result))
    return yield `${path} is ${describeValue(result)}: write { "title": "A page", "url": "https://example.org" }.`;
  yield* checkUnknownKeys(result, path, ["title", "url"]);
  if (typeof result.url !== "string") yield `${path}: url is ${describeValue(result.url)}: write a URL.`;
  if (result.title !== null && typeof result.title !== "string")
    yield `${path}: title is ${describeValue(result.title)}: write a string, or null for a page without a title.`;
}

const STOP_REASONS = ["stop", "length", "calls", "refusal", "context-window"];

function* checkUsage(usage: unknown, path: string): Generator<string> {
  if (usage === "zero" || usage === "none") return;
  if (!isObject(usage))
    return yield `${path}: usage is ${describeValue(usage)}: write "zero", "none" or numbers, as in { "input": 100, "output": 20 }.`;
  yield* checkCounts(usage, `${path}: usage`, ["input", "cacheRead", "cacheWrite", "output"]);
}

function* checkCounts(value: Json, path: string, knownKeys: readonly string[]): Generator<string> {
  yield* checkUnknownKeys(value, path, knownKeys);
  for (const name of knownKeys)
    if (value[name] !== undefined && !isCount(value[name]))
      yield `${path}.${name} is ${describeValue(value[name])}: write a number, 0 or more.`;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function* checkPace(pace: unknown, path: string): Generator<string> {
  if (!isObject(pace)) return yield `${path}: pace is ${describeValue(pace)}: write { "waitMs": 500, "everyMs": 20 }.`;
  yield* checkCounts(pace, `${path}: pace`, ["waitMs", "everyMs", "chunk"]);
  if (pace.chunk === 0) yield `${path}: pace.chunk is 0: write 1 or more characters.`;
}

function* checkBreak(breaks: unknown, path: string): Generator<string> {
  const kind = isObject(breaks) ? breaks.how : undefined;
  if (!isObject(breaks) || !BREAK_KINDS.includes(String(kind)))
    return yield `${path}: breaks.how is ${describeValue(kind)}: write one of ${BREAK_KINDS.join(", ")}, as in { "how": "cut", "after": 3 }.`;
  yield* checkUnknownKeys(breaks, `${path}: breaks`, ["how", "after", "times", "error"]);
  if (breaks.after !== undefined && !isCount(breaks.after))
    yield `${path}: breaks.after is ${describeValue(breaks.after)}: write the number of events to send first.`;
  if (kind === "repeat" && breaks.after === undefined)
    yield `${path}: breaks.after is missing: write the number of events before the one to repeat.`;
  if (breaks.times !== undefined && (kind !== "repeat" || !isCount(breaks.times)))
    yield `${path}: breaks.times is ${describeValue(breaks.times)}: write the number of times that "repeat" sends its event, or omit it.`;
  const hasErrorMessage = isObject(breaks.error) && typeof breaks.error.message === "string";
  if (kind === "error" && !hasErrorMessage)
    yield `${path}: breaks.error is ${describeValue(breaks.error)}: write { "type": "overloaded_error", "message": "Overloaded" }.`;
}

const BREAK_KINDS = ["stall", "cut", "end", "garbage", "repeat", "long-line", "error"];
