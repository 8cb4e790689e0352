/** Checks single parts of a Google request: kinds of data, texts, pictures, calls, results and thought signatures. */

import { imageFault, isBlank, isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import type { Body } from "../protocol.ts";
import { DATA_KINDS } from "./field-checks.ts";
import { callSignature, serverSignature, textSignature } from "./reply.ts";

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

/** Refuses a signature that Google did not make, and a missing one in the current turn of a thinking model. */
export function* signatureFaults(body: Body, model: string): Generator<string> {
  const contents = objectsIn(body.contents);
  for (const { role, parts } of contents) if (role === "model") yield* changedFaults(objectsIn(parts), model);
  if (!thinks(model)) return;
  const begin = contents.findLastIndex(isAsked);
  for (const [at, content] of contents.entries()) if (at > begin) yield* missingFaults(content, at);
}

function* changedFaults(parts: readonly Json[], model: string): Generator<string> {
  for (const [at, part] of parts.entries()) {
    const { thoughtSignature } = part;
    if (thoughtSignature === undefined || STAND_INS.includes(textOf(thoughtSignature))) continue;
    if (!rightSignatures(parts, at, model).includes(textOf(thoughtSignature))) yield "Corrupted thought signature.";
  }
}

/** Documented for calls that the model did not make itself. */
const STAND_INS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function rightSignatures(parts: readonly Json[], at: number, model: string): readonly string[] {
  const call = parts[at]?.functionCall;
  const { toolCall, toolResponse } = parts[at] ?? {};
  if (isObject(toolCall)) return [serverSignature(model, toolCall.args ?? {})];
  if (isObject(toolResponse)) return [serverSignature(model, toolResponse.response ?? {})];
  if (isObject(call)) return [callSignature(model, textOf(call.name), call.args ?? {})];
  return endings(parts, at).map((text) => textSignature(model, text));
}

// A client may join the pieces of a stream or leave them apart, and may leave thoughts out.
function endings(parts: readonly Json[], at: number): readonly string[] {
  const texts: string[] = [];
  for (const { text } of parts.slice(0, at + 1).reverse()) {
    if (typeof text !== "string") break;
    texts.push(text + (texts.at(-1) ?? ""));
  }
  return texts;
}

function thinks(model: string): boolean {
  return /^gemini-([3-9]|\d\d)/.test(model);
}

/** The current turn begins where somebody last said something that was no result. */
function isAsked({ role, parts }: Json): boolean {
  return role !== "model" && objectsIn(parts).some(({ functionResponse }) => functionResponse === undefined);
}

function* missingFaults({ role, parts }: Json, at: number): Generator<string> {
  const first = objectsIn(parts).find(({ functionCall }) => isObject(functionCall));
  if (role !== "model" || !first || first.thoughtSignature !== undefined) return;
  const name = isObject(first.functionCall) ? textOf(first.functionCall.name) : "";
  yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}.`;
}
