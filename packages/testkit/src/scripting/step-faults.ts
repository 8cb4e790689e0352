/** What is wrong with one step of a script, and what to write instead. */

import { isObject, type Json } from "../wires/shape.ts";
import { breakFaults, paceFaults, usageFaults } from "./manner-faults.ts";
import { partFaults } from "./part-faults.ts";
import { called, strangers } from "./said-of.ts";

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
