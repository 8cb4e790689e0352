/** What OpenAI Chat Completions refuses about single messages: roles, replies that say nothing. */

import { callIdFaults } from "../openai/calls.ts";
import { type Fault, tooShort, wrongKind, wrongValue } from "../openai/fault.ts";
import { nameFaults } from "../openai/tools.ts";
import { isObject, type Json, listOf } from "../shape.ts";
import type { Body } from "../wire.ts";
import { callFaults, idRule, legacyCallFaults } from "./calls.ts";
import { contentFaults } from "./content.ts";

export function* messageFaults({ messages, model }: Body): Generator<Fault> {
  for (const [index, message] of listOf(messages).entries()) {
    const at = `messages[${index}]`;
    if (!isObject(message)) yield wrongKind(at, "an object", message);
    else yield* oneMessage(message, { at, model });
  }
}

interface Place {
  readonly at: string;
  readonly model: unknown;
}

function* oneMessage(message: Json, { at, model }: Place): Generator<Fault> {
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      yield* contentFaults(message, at);
      return;
    case "assistant":
      yield* replyFaults(message, { at, model });
      return;
    case "tool":
      yield* callIdFaults(message.tool_call_id, idRule(model, `${at}.tool_call_id`));
      yield* contentFaults(message, at);
      return;
    case "function":
      yield* nameFaults(message.name, `${at}.name`);
      if (message.content !== null) yield* contentFaults(message, at);
      return;
    default:
      yield wrongValue(`${at}.role`, message.role, ["system", "developer", "user", "assistant", "tool"]);
  }
}

function* replyFaults(message: Json, { at, model }: Place): Generator<Fault> {
  const { content, tool_calls: calls, function_call: legacy } = message;
  const isSilent = content === undefined || content === null;
  if (isObject(legacy)) yield* legacyCallFaults(legacy, `${at}.function_call`);
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls)) return yield wrongKind(`${at}.tool_calls`, "an array of objects", calls);
    if (calls.length === 0) yield tooShort(`${at}.tool_calls`, "array");
    for (const [index, call] of calls.entries()) yield* callFaults(call, { at: `${at}.tool_calls[${index}]`, model });
  } else if (isSilent && !isObject(legacy))
    yield { message: `Invalid assistant message: content or tool_calls must be set. (${at})`, code: "invalid_value" };
  if (!isSilent) yield* contentFaults(message, at);
}
