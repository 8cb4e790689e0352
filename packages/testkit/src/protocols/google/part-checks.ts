/** Checks single parts of a Google request: kinds of data, texts, pictures, calls, results and thought signatures. */

import { asArray, asObjects, asString, checkImage, isBlank, isObject, type Json } from "../json.ts";
import type { Body } from "../protocol.ts";
import { DATA_KINDS } from "./field-checks.ts";
import { callSignature, serverSignature, textSignature } from "./reply.ts";

export function* checkContents({ contents, systemInstruction }: Body): Generator<string> {
  if (asArray(contents).length === 0) yield "* GenerateContentRequest.contents: contents is not specified";
  if (systemInstruction !== undefined) yield* checkSystemInstruction(systemInstruction);
  for (const [index, content] of asArray(contents).entries()) {
    if (!isObject(content))
      yield `Invalid value at 'contents[${index}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)`;
    else yield* checkContent(content, `contents[${index}]`);
  }
}

function* checkSystemInstruction(system: unknown): Generator<string> {
  const path = "system_instruction";
  if (!isObject(system))
    return yield `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "${String(system)}"`;
  const parts = asArray(system.parts);
  if (parts.length === 0) yield `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`;
  for (const [index, part] of parts.entries()) {
    if (!isObject(part) || typeof part.text !== "string")
      yield `* GenerateContentRequest.${path}.parts[${index}]: system instruction must be text.`;
    else if (isBlank(part.text)) yield formatUninitialized(`${path}.parts[${index}]`);
  }
}

function* checkContent({ parts }: Json, path: string): Generator<string> {
  if (asArray(parts).length === 0) yield `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`;
  for (const [index, part] of asArray(parts).entries()) {
    if (isObject(part)) yield* checkPart(part, `${path}.parts[${index}]`);
    else
      yield `Invalid value at '${path}.parts[${index}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)`;
  }
}

function* checkPart(part: Json, path: string): Generator<string> {
  const [kind, second] = DATA_KINDS.filter((name) => part[name] !== undefined);
  if (kind === undefined) yield formatUninitialized(path);
  if (second !== undefined)
    yield `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`;
  // An empty text may carry a signature, and then it is no empty part.
  if (part.text === "" && part.thoughtSignature === undefined) yield formatUninitialized(path);
  if (part.text !== undefined && typeof part.text !== "string") yield `Invalid value at '${path}.text' (TYPE_STRING)`;
  if (part.inlineData !== undefined) yield* checkInlineData(part.inlineData, path);
  if (part.functionCall !== undefined) yield* checkFunctionCall(part.functionCall, `${path}.function_call`);
  if (part.functionResponse !== undefined)
    yield* checkFunctionResponse(part.functionResponse, `${path}.function_response`);
}

function* checkInlineData(inline: unknown, path: string): Generator<string> {
  const { mimeType, data } = isObject(inline) ? inline : {};
  if (isBlank(mimeType))
    return yield `* GenerateContentRequest.${path}.inline_data.mime_type: mime_type must not be empty.`;
  const isImage = asString(mimeType).startsWith("image/");
  const isSupported = isImage
    ? IMAGE_TYPES.includes(asString(mimeType))
    : /^(audio|video|text)\/|^application\/(pdf|json)$/.test(asString(mimeType));
  if (!isSupported) return yield `Unsupported MIME type: ${asString(mimeType)}`;
  if (checkImage(mimeType, data, [asString(mimeType)]))
    yield `Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "${asString(data).slice(0, 40)}"`;
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"];

function* checkFunctionCall(call: unknown, path: string): Generator<string> {
  const { name, args } = isObject(call) ? call : {};
  if (isBlank(name)) yield `* GenerateContentRequest.${path}.name: Name cannot be empty.`;
  if (args !== undefined && !isObject(args))
    yield `Invalid value at '${path}.args' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(args)}`;
}

function* checkFunctionResponse(functionResponse: unknown, path: string): Generator<string> {
  const { name, response } = isObject(functionResponse) ? functionResponse : {};
  if (isBlank(name)) yield `* GenerateContentRequest.${path}.name: Name cannot be empty.`;
  if (response === undefined) yield `* GenerateContentRequest.${path}.response: response must be set.`;
  else if (!isObject(response))
    yield `Invalid value at '${path}.response' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(response)}`;
}

function formatUninitialized(path: string): string {
  return `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`;
}

/** Refuses a signature that Google did not make, and a missing one in the current turn of a thinking model. */
export function* checkSignatures(body: Body, model: string): Generator<string> {
  const contents = asObjects(body.contents);
  for (const { role, parts } of contents) if (role === "model") yield* checkChangedSignatures(asObjects(parts), model);
  if (!isThinkingModel(model)) return;
  const turnStart = contents.findLastIndex(isUserPrompt);
  for (const [index, content] of contents.entries())
    if (index > turnStart) yield* checkMissingSignature(content, index);
}

function* checkChangedSignatures(parts: readonly Json[], model: string): Generator<string> {
  for (const [index, part] of parts.entries()) {
    const { thoughtSignature } = part;
    if (thoughtSignature === undefined || PLACEHOLDER_SIGNATURES.includes(asString(thoughtSignature))) continue;
    if (!validSignatures(parts, index, model).includes(asString(thoughtSignature)))
      yield "Corrupted thought signature.";
  }
}

/** Documented for calls that the model did not make itself. */
const PLACEHOLDER_SIGNATURES = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function validSignatures(parts: readonly Json[], index: number, model: string): readonly string[] {
  const call = parts[index]?.functionCall;
  const { toolCall, toolResponse } = parts[index] ?? {};
  if (isObject(toolCall)) return [serverSignature(model, toolCall.args ?? {})];
  if (isObject(toolResponse)) return [serverSignature(model, toolResponse.response ?? {})];
  if (isObject(call)) return [callSignature(model, asString(call.name), call.args ?? {})];
  return textEndings(parts, index).map((text) => textSignature(model, text));
}

// A client may join the pieces of a stream or leave them apart, and may leave thoughts out.
function textEndings(parts: readonly Json[], index: number): readonly string[] {
  const texts: string[] = [];
  for (const { text } of parts.slice(0, index + 1).reverse()) {
    if (typeof text !== "string") break;
    texts.push(text + (texts.at(-1) ?? ""));
  }
  return texts;
}

function isThinkingModel(model: string): boolean {
  return /^gemini-([3-9]|\d\d)/.test(model);
}

/** The current turn begins where somebody last said something that was no result. */
function isUserPrompt({ role, parts }: Json): boolean {
  return role !== "model" && asObjects(parts).some(({ functionResponse }) => functionResponse === undefined);
}

function* checkMissingSignature({ role, parts }: Json, index: number): Generator<string> {
  const firstCall = asObjects(parts).find(({ functionCall }) => isObject(functionCall));
  if (role !== "model" || !firstCall || firstCall.thoughtSignature !== undefined) return;
  const name = isObject(firstCall.functionCall) ? asString(firstCall.functionCall.name) : "";
  yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`;
}
