/** What OpenAI Chat Completions, or a server that speaks it, refuses about how a call is written down. */

import { argumentFaults, argumentKindFaults, callIdFaults, type IdRule } from "../openai/calls.ts";
import { type Fault, missing, wrongKind, wrongValue } from "../openai/fault.ts";
import { nameFaults } from "../openai/tools.ts";
import { isObject, type Json } from "../shape.ts";
import { isOpenAi } from "./house.ts";

interface Place {
  readonly at: string;
  readonly model: unknown;
}

export function* callFaults(call: unknown, { at, model }: Place): Generator<Fault> {
  if (!isObject(call)) return yield wrongKind(at, "an object", call);
  yield* callIdFaults(call.id, idRule(model, `${at}.id`));
  if (call.type === undefined) yield missing(`${at}.type`);
  else if (call.type !== "function") yield wrongValue(`${at}.type`, call.type, ["function"]);
  if (!isObject(call.function)) return yield missing(`${at}.function`);
  yield* nameFaults(call.function.name, `${at}.function.name`);
  // OpenAI takes its models' broken arguments back; chat templates that read them as JSON do not.
  const faults = isOpenAi(model) ? argumentKindFaults : argumentFaults;
  yield* faults(call.function.arguments, `${at}.function.arguments`);
}

/** Forty characters with OpenAI; other houses write longer ones, and `functions.read:0`. */
export function idRule(model: unknown, at: string): IdRule {
  return { at, most: isOpenAi(model) ? 40 : 256, pattern: "^[a-zA-Z0-9_.:-]+$" };
}

/** From before there were tools: one call, without an id. */
export function* legacyCallFaults({ name, arguments: json }: Json, at: string): Generator<Fault> {
  yield* nameFaults(name, `${at}.name`);
  yield* argumentKindFaults(json, `${at}.arguments`);
}
