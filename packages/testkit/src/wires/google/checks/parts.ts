/** What Google refuses about single parts: none or two kinds of data, empty texts, pictures, arguments, results. */

import { imageFault, isBlank, isObject, type Json, listOf, textOf } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import { DATA_KINDS } from "./fields.ts";

export function* partFaults({ contents, systemInstruction }: Body): Generator<string> {
  if (listOf(contents).length === 0) yield "* GenerateContentRequest.contents: contents is not specified";
  if (systemInstruction !== undefined) yield* systemFaults(systemInstruction);
  for (const [at, content] of listOf(contents).entries()) {
    if (!isObject(content))
      yield `Invalid value at 'contents[${at}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)`;
    else yield* contentFaults(content, `contents[${at}]`);
  }
}

function* systemFaults(system: unknown): Generator<string> {
  const at = "system_instruction";
  if (!isObject(system))
    return yield `Invalid value at '${at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "${String(system)}"`;
  const parts = listOf(system.parts);
  if (parts.length === 0) yield `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
  for (const [index, part] of parts.entries()) {
    if (!isObject(part) || typeof part.text !== "string")
      yield `* GenerateContentRequest.${at}.parts[${index}]: system instruction must be text.`;
    else if (isBlank(part.text)) yield uninitialized(`${at}.parts[${index}]`);
  }
}

function* contentFaults({ parts }: Json, at: string): Generator<string> {
  if (listOf(parts).length === 0) yield `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
  for (const [index, part] of listOf(parts).entries()) {
    if (isObject(part)) yield* onePart(part, `${at}.parts[${index}]`);
    else
      yield `Invalid value at '${at}.parts[${index}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)`;
  }
}

function* onePart(part: Json, at: string): Generator<string> {
  const [kind, second] = DATA_KINDS.filter((name) => part[name] !== undefined);
  if (kind === undefined) yield uninitialized(at);
  if (second !== undefined)
    yield `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`;
  // An empty text may carry a signature, and then it is no empty part.
  if (part.text === "" && part.thoughtSignature === undefined) yield uninitialized(at);
  if (part.text !== undefined && typeof part.text !== "string") yield `Invalid value at '${at}.text' (TYPE_STRING)`;
  if (part.inlineData !== undefined) yield* pictureFaults(part.inlineData, at);
  if (part.functionCall !== undefined) yield* callFaults(part.functionCall, `${at}.function_call`);
  if (part.functionResponse !== undefined) yield* responseFaults(part.functionResponse, `${at}.function_response`);
}

function* pictureFaults(inline: unknown, at: string): Generator<string> {
  const { mimeType, data } = isObject(inline) ? inline : {};
  if (isBlank(mimeType))
    return yield `* GenerateContentRequest.${at}.inline_data.mime_type: mime_type must not be empty.`;
  const isPicture = textOf(mimeType).startsWith("image/");
  const isReadable = isPicture
    ? PICTURES.includes(textOf(mimeType))
    : /^(audio|video|text)\/|^application\/(pdf|json)$/.test(textOf(mimeType));
  if (!isReadable) return yield `Unsupported MIME type: ${textOf(mimeType)}`;
  if (imageFault(mimeType, data, [textOf(mimeType)]))
    yield `Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "${textOf(data).slice(0, 40)}"`;
}

const PICTURES = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"];

function* callFaults(call: unknown, at: string): Generator<string> {
  const { name, args } = isObject(call) ? call : {};
  if (isBlank(name)) yield `* GenerateContentRequest.${at}.name: Name cannot be empty.`;
  if (args !== undefined && !isObject(args))
    yield `Invalid value at '${at}.args' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(args)}`;
}

function* responseFaults(answer: unknown, at: string): Generator<string> {
  const { name, response } = isObject(answer) ? answer : {};
  if (isBlank(name)) yield `* GenerateContentRequest.${at}.name: Name cannot be empty.`;
  if (response === undefined) yield `* GenerateContentRequest.${at}.response: response must be set.`;
  else if (!isObject(response))
    yield `Invalid value at '${at}.response' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(response)}`;
}

function uninitialized(at: string): string {
  return `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`;
}
