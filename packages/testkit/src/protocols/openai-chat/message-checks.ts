/** Checks single Chat Completions messages: roles, content, tool calls and replies without either. */

import { asArray, isObject, type Json } from "../json.ts";
import {
  checkArguments,
  checkArgumentsType,
  checkCallId,
  checkImageDetail,
  checkImageUrl,
  checkName,
  type IdRule,
} from "../openai/checks.ts";
import { emptyValue, type Fault, invalidType, invalidValue, missingParameter } from "../openai/errors.ts";
import type { Body } from "../protocol.ts";
import { isOpenAi } from "./model-checks.ts";

interface CheckContext {
  readonly path: string;
  readonly model: unknown;
}

export function* checkToolCall(call: unknown, { path, model }: CheckContext): Generator<Fault> {
  if (!isObject(call)) return yield invalidType(path, "an object", call);
  yield* checkCallId(call.id, callIdRule(model, `${path}.id`));
  if (call.type === undefined) yield missingParameter(`${path}.type`);
  else if (call.type !== "function") yield invalidValue(`${path}.type`, call.type, ["function"]);
  if (!isObject(call.function)) return yield missingParameter(`${path}.function`);
  yield* checkName(call.function.name, `${path}.function.name`);
  // OpenAI takes its models' broken arguments back; chat templates that read them as JSON do not.
  const check = isOpenAi(model) ? checkArgumentsType : checkArguments;
  yield* check(call.function.arguments, `${path}.function.arguments`);
}

/** Forty characters with OpenAI; other houses write longer ones, and `functions.read:0`. */
export function callIdRule(model: unknown, path: string): IdRule {
  return { path, maxLength: isOpenAi(model) ? 40 : 256, pattern: "^[a-zA-Z0-9_.:-]+$" };
}

/** From before there were tools: one call, without an id. */
export function* checkLegacyCall({ name, arguments: argumentsJson }: Json, path: string): Generator<Fault> {
  yield* checkName(name, `${path}.name`);
  yield* checkArgumentsType(argumentsJson, `${path}.arguments`);
}

export function* checkContent({ role, content }: Json, path: string): Generator<Fault> {
  if (content === undefined) return yield missingParameter(`${path}.content`);
  if (content === null) return yield { message: `Invalid value for 'content': expected a string, got null. (${path})` };
  if (typeof content === "string") return;
  if (!Array.isArray(content))
    return yield invalidType(`${path}.content`, "one of a string or array of objects", content);
  if (content.length === 0) yield emptyValue(`${path}.content`, "array");
  for (const [index, part] of content.entries()) {
    const context = { path: `${path}.content[${index}]`, messagePath: path, role: String(role) };
    if (!isObject(part)) yield invalidType(context.path, "an object", part);
    else yield* checkPart(part, context);
  }
}

interface PartContext {
  readonly path: string;
  /** Where the message stands. */
  readonly messagePath: string;
  readonly role: string;
}

function* checkPart(part: Json, { path, messagePath, role }: PartContext): Generator<Fault> {
  if (part.type === undefined) return yield missingParameter(`${path}.type`);
  if (part.type === "text") return yield* checkText(part, path);
  if (part.type === "image_url") {
    if (role === "user") return yield* checkImagePart(part, path);
    return yield {
      message: `Invalid '${messagePath}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      code: "invalid_value",
    };
  }
  const allowed = PART_TYPES[role] ?? ["text"];
  if (!allowed.includes(String(part.type))) yield invalidValue(`${path}.type`, part.type, allowed);
}

const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file", "video_url"],
  assistant: ["text", "refusal"],
};

function* checkText({ text }: Json, path: string): Generator<Fault> {
  if (text === undefined) yield missingParameter(`${path}.text`);
  else if (typeof text !== "string") yield invalidType(`${path}.text`, "a string", text);
  else if (text === "") yield emptyValue(`${path}.text`, "string");
}

function* checkImagePart({ image_url: image }: Json, path: string): Generator<Fault> {
  if (image === undefined) return yield missingParameter(`${path}.image_url`);
  if (!isObject(image)) return yield invalidType(`${path}.image_url`, "an object", image);
  yield* checkImageUrl(image.url, `${path}.image_url.url`);
  yield* checkImageDetail(image.detail, `${path}.image_url.detail`);
}

export function* checkMessages({ messages, model }: Body): Generator<Fault> {
  for (const [index, message] of asArray(messages).entries()) {
    const path = `messages[${index}]`;
    if (!isObject(message)) yield invalidType(path, "an object", message);
    else yield* checkMessage(message, { path, model });
  }
}

function* checkMessage(message: Json, { path, model }: CheckContext): Generator<Fault> {
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      yield* checkContent(message, path);
      return;
    case "assistant":
      yield* checkAssistantMessage(message, { path, model });
      return;
    case "tool":
      yield* checkCallId(message.tool_call_id, callIdRule(model, `${path}.tool_call_id`));
      yield* checkContent(message, path);
      return;
    case "function":
      yield* checkName(message.name, `${path}.name`);
      if (message.content !== null) yield* checkContent(message, path);
      return;
    default:
      yield invalidValue(`${path}.role`, message.role, ["system", "developer", "user", "assistant", "tool"]);
  }
}

function* checkAssistantMessage(message: Json, { path, model }: CheckContext): Generator<Fault> {
  const { content, tool_calls: calls, function_call: legacyCall } = message;
  const hasNoContent = content === undefined || content === null;
  if (isObject(legacyCall)) yield* checkLegacyCall(legacyCall, `${path}.function_call`);
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls)) return yield invalidType(`${path}.tool_calls`, "an array of objects", calls);
    if (calls.length === 0) yield emptyValue(`${path}.tool_calls`, "array");
    for (const [index, call] of calls.entries())
      yield* checkToolCall(call, { path: `${path}.tool_calls[${index}]`, model });
  } else if (hasNoContent && !isObject(legacyCall))
    yield { message: `Invalid assistant message: content or tool_calls must be set. (${path})`, code: "invalid_value" };
  if (!hasNoContent) yield* checkContent(message, path);
}
