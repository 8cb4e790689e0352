/** Checks single Chat Completions messages: roles, content, tool calls and replies without either. */

import { isObject, type Json, listOf } from "../json.ts";
import {
  argumentFaults,
  argumentKindFaults,
  callIdFaults,
  detailFaults,
  type IdRule,
  imageUrlFaults,
  nameFaults,
} from "../openai/checks.ts";
import { type Fault, missing, tooShort, wrongKind, wrongValue } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isOpenAi } from "./model-checks.ts";

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

export function* contentFaults({ role, content }: Json, at: string): Generator<Fault> {
  if (content === undefined) return yield missing(`${at}.content`);
  if (content === null) return yield { message: `Invalid value for 'content': expected a string, got null. (${at})` };
  if (typeof content === "string") return;
  if (!Array.isArray(content)) return yield wrongKind(`${at}.content`, "one of a string or array of objects", content);
  if (content.length === 0) yield tooShort(`${at}.content`, "array");
  for (const [index, part] of content.entries()) {
    const place = { at: `${at}.content[${index}]`, message: at, role: String(role) };
    if (!isObject(part)) yield wrongKind(place.at, "an object", part);
    else yield* partFaults(part, place);
  }
}

interface ContentPlace {
  readonly at: string;
  /** Where the message stands. */
  readonly message: string;
  readonly role: string;
}

function* partFaults(part: Json, { at, message, role }: ContentPlace): Generator<Fault> {
  if (part.type === undefined) return yield missing(`${at}.type`);
  if (part.type === "text") return yield* textFaults(part, at);
  if (part.type === "image_url") {
    if (role === "user") return yield* pictureFaults(part, at);
    return yield {
      message: `Invalid '${message}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      code: "invalid_value",
    };
  }
  const allowed = kinds[role] ?? ["text"];
  if (!allowed.includes(String(part.type))) yield wrongValue(`${at}.type`, part.type, allowed);
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file", "video_url"],
  assistant: ["text", "refusal"],
};

function* textFaults({ text }: Json, at: string): Generator<Fault> {
  if (text === undefined) yield missing(`${at}.text`);
  else if (typeof text !== "string") yield wrongKind(`${at}.text`, "a string", text);
  else if (text === "") yield tooShort(`${at}.text`, "string");
}

function* pictureFaults({ image_url: image }: Json, at: string): Generator<Fault> {
  if (image === undefined) return yield missing(`${at}.image_url`);
  if (!isObject(image)) return yield wrongKind(`${at}.image_url`, "an object", image);
  yield* imageUrlFaults(image.url, `${at}.image_url.url`);
  yield* detailFaults(image.detail, `${at}.image_url.detail`);
}

export function* messageFaults({ messages, model }: Body): Generator<Fault> {
  for (const [index, message] of listOf(messages).entries()) {
    const at = `messages[${index}]`;
    if (!isObject(message)) yield wrongKind(at, "an object", message);
    else yield* oneMessage(message, { at, model });
  }
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
