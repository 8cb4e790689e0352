/** What is wrong with the manner of a reply (its usage, its pace, how it breaks), and what to write instead. */

import { isObject, type Json } from "../wires/shape.ts";
import { called, strangers } from "./said-of.ts";

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
  yield* strangers(breaks, `${at}: breaks`, ["how", "after", "error"]);
  if (breaks.after !== undefined && !isCount(breaks.after))
    yield `${at}: breaks.after is ${called(breaks.after)}: write how many events come first.`;
  const isTold = isObject(breaks.error) && typeof breaks.error.message === "string";
  if (how === "error" && !isTold)
    yield `${at}: breaks.error is ${called(breaks.error)}: write { "type": "overloaded_error", "message": "Overloaded" }.`;
}

const HOWS = ["stall", "cut", "end", "garbage", "error"];

function* numbers(value: Json, at: string, known: readonly string[]): Generator<string> {
  yield* strangers(value, at, known);
  for (const name of known)
    if (value[name] !== undefined && !isCount(value[name]))
      yield `${at}.${name} is ${called(value[name])}: write a number, 0 or more.`;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
