/** Finds the first fault of a Google request: unknown fields, settings, parts, the order of turns, searches and signatures. */

import {
  asArray,
  asObjects,
  asString,
  checkImage,
  findUnknownKey,
  hasLoneSurrogate,
  isBlank,
  isObject,
  type Json,
} from "../json.ts";
import type { Body, ProtocolRequest, Refusal } from "../protocol.ts";
import { callSignature, includesServerTools, serverSignature, textSignature } from "./reply.ts";

/** Returns the first fault, with the API's own message where it is known. */
export function checkRequest({ headers, query, body, bytes }: ProtocolRequest, model: string): Refusal | null {
  if (!headers["x-goog-api-key"] && !headers.authorization && !query.get("key")) return NO_KEY;
  if (bytes > MAX_BYTES) return invalidArgument(`Request payload size exceeds the limit: ${MAX_BYTES} bytes.`);
  if (hasLoneSurrogate(body)) return invalidArgument("Invalid JSON payload received. Missing low surrogate.");
  for (const message of checkBody(body, model)) return invalidArgument(message);
  return null;
}

const NO_KEY: Refusal = {
  status: 403,
  type: "PERMISSION_DENIED",
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

const MAX_BYTES = 20 * 1024 * 1024;

function invalidArgument(message: string): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message };
}

function* checkBody(body: ProtocolRequest["body"], model: string): Generator<string> {
  yield* checkFields(body);
  yield* checkSettings(body);
  yield* checkTools(body);
  yield* checkContents(body);
  yield* checkConversation(body, model);
  yield* checkSearches(body, model);
  yield* checkSignatures(body, model);
}

function* checkFields(body: Body): Generator<string> {
  yield* checkUnknownKey(body, "", REQUEST_FIELDS);
  yield* checkUnknownKey(body.generationConfig, "generation_config", GENERATION_FIELDS);
  yield* checkUnknownKey(body.systemInstruction, "system_instruction", CONTENT_FIELDS);
  yield* checkUnknownKey(body.toolConfig, "tool_config", TOOL_CONFIG_FIELDS);
  for (const [position, content] of asObjects(body.contents).entries())
    yield* checkContentFields(content, `contents[${position}]`);
  for (const [position, tool] of asObjects(body.tools).entries())
    for (const [index, each] of asObjects(tool.functionDeclarations).entries())
      yield* checkUnknownKey(each, `tools[${position}].function_declarations[${index}]`, DECLARATION_FIELDS);
}

function* checkUnknownKey(value: unknown, path: string, knownKeys: readonly string[]): Generator<string> {
  const unknownKey = isObject(value) ? findUnknownKey(value, knownKeys) : undefined;
  if (unknownKey === undefined) return;
  const location = path === "" ? "" : ` at '${path}'`;
  yield `Invalid JSON payload received. Unknown name "${unknownKey}"${location}: Cannot find field.`;
}

const REQUEST_FIELDS = [
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
  ...["cachedContent", "labels", "serviceTier", "store"],
];

const GENERATION_FIELDS = [
  ...["maxOutputTokens", "temperature", "topP", "topK", "seed", "stopSequences", "candidateCount"],
  ...["frequencyPenalty", "presencePenalty", "responseMimeType", "responseSchema", "responseJsonSchema"],
  ...["responseLogprobs", "logprobs", "responseModalities", "speechConfig", "thinkingConfig", "imageConfig"],
  ...["mediaResolution", "enableEnhancedCivicAnswers", "audioTimestamp", "routingConfig"],
];

/** The data fields of a part. A part has exactly one of them. */
const DATA_KINDS: readonly string[] = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
];

const CONTENT_FIELDS = ["role", "parts"];
const PART_FIELDS = [...DATA_KINDS, "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
const CALL_FIELDS = ["id", "name", "args"];
const RESPONSE_FIELDS = ["id", "name", "response", "parts", "willContinue", "scheduling"];
const SERVER_CALL_FIELDS = ["id", "toolType", "args"];
const SERVER_RESPONSE_FIELDS = ["id", "toolType", "response"];
const DATA_FIELDS = ["mimeType", "data", "displayName"];
const TOOL_CONFIG_FIELDS = ["functionCallingConfig", "retrievalConfig", "includeServerSideToolInvocations"];
const DECLARATION_FIELDS = [
  ...["name", "description", "behavior", "parameters", "parametersJsonSchema"],
  ...["response", "responseJsonSchema"],
];

function* checkContentFields(content: Body, path: string): Generator<string> {
  yield* checkUnknownKey(content, path, CONTENT_FIELDS);
  for (const [index, part] of asObjects(content.parts).entries()) {
    const partPath = `${path}.parts[${index}]`;
    yield* checkUnknownKey(part, partPath, PART_FIELDS);
    yield* checkUnknownKey(part.functionCall, `${partPath}.function_call`, CALL_FIELDS);
    yield* checkUnknownKey(part.functionResponse, `${partPath}.function_response`, RESPONSE_FIELDS);
    yield* checkUnknownKey(part.toolCall, `${partPath}.tool_call`, SERVER_CALL_FIELDS);
    yield* checkUnknownKey(part.toolResponse, `${partPath}.tool_response`, SERVER_RESPONSE_FIELDS);
    yield* checkUnknownKey(part.inlineData, `${partPath}.inline_data`, DATA_FIELDS);
  }
}

function* checkSettings(body: Body): Generator<string> {
  const { generationConfig, toolConfig } = body;
  if (isObject(generationConfig)) yield* checkGenerationConfig(generationConfig);
  if (isObject(toolConfig) && isObject(toolConfig.functionCallingConfig))
    yield* checkToolChoice(toolConfig.functionCallingConfig, listDeclaredNames(body));
}

function* checkGenerationConfig(config: Body): Generator<string> {
  const { maxOutputTokens, temperature, topP, stopSequences, candidateCount } = config;
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && Number(maxOutputTokens) >= 1))
    yield outOfRange("max_output_tokens", "must be positive");
  if (temperature !== undefined && !isInRange(temperature, 2))
    yield outOfRange("temperature", "must be in the range [0.0, 2.0]");
  if (topP !== undefined && !isInRange(topP, 1)) yield outOfRange("top_p", "must be in the range [0.0, 1.0]");
  if (asArray(stopSequences).length > 5) yield outOfRange("stop_sequences", "must have at most 5 values");
  if (candidateCount !== undefined && candidateCount !== 1) yield "Multiple candidates is not enabled for this model";
  if (isObject(config.thinkingConfig)) yield* checkThinkingConfig(config.thinkingConfig);
}

function outOfRange(name: string, rule: string): string {
  return `* GenerateContentRequest.generation_config.${name}: ${name} ${rule}.`;
}

function isInRange(value: unknown, max: number): boolean {
  return typeof value === "number" && value >= 0 && value <= max;
}

function* checkThinkingConfig({ thinkingBudget, thinkingLevel }: Body): Generator<string> {
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    yield "You can only set only one of thinking budget and thinking level.";
  if (thinkingBudget !== undefined && !(Number.isInteger(thinkingBudget) && Number(thinkingBudget) >= -1))
    yield `The thinking budget ${String(thinkingBudget)} is invalid. Please choose a value of at least -1.`;
}

function* checkToolChoice({ mode, allowedFunctionNames }: Body, declared: readonly unknown[]): Generator<string> {
  const path = "tool_config.function_calling_config";
  if (mode !== undefined && !["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(mode)))
    yield `Invalid value at '${path}.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "${String(mode)}"`;
  const allowed = asArray(allowedFunctionNames);
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED")
    yield `* GenerateContentRequest.${path}.allowed_function_names: allowed_function_names should be set only when function calling mode is ANY.`;
  const unknownName = allowed.find((name) => !declared.includes(name));
  if (unknownName !== undefined)
    yield `* GenerateContentRequest.${path}.allowed_function_names: function '${String(unknownName)}' is not declared.`;
  if (mode === "ANY" && declared.length === 0) yield "Function calling config is set without function_declarations.";
}

function listDeclaredNames(body: Body): readonly unknown[] {
  return asObjects(body.tools).flatMap((tool) => asObjects(tool.functionDeclarations).map(({ name }) => name));
}

function* checkTools({ tools }: Body): Generator<string> {
  const names = new Set<unknown>();
  for (const [position, tool] of asObjects(tools).entries())
    for (const [index, declaration] of asObjects(tool.functionDeclarations).entries()) {
      const path = `tools[${position}].function_declarations[${index}]`;
      yield* checkFunctionName(declaration.name, path);
      if (names.has(declaration.name)) yield `Duplicate function declaration found: ${String(declaration.name)}`;
      names.add(declaration.name);
      yield* checkParameters(declaration, path);
    }
}

function* checkFunctionName(name: unknown, path: string): Generator<string> {
  if (typeof name !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name))
    yield `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
}

/** `parametersJsonSchema` takes any JSON Schema, `parameters` only Google's schema type. */
function* checkParameters({ parameters, parametersJsonSchema }: Body, path: string): Generator<string> {
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    yield `* GenerateContentRequest.${path}: only one of parameters and parameters_json_schema may be set.`;
  if (parametersJsonSchema !== undefined && !isObject(parametersJsonSchema))
    yield `* GenerateContentRequest.${path}.parameters_json_schema: schema must be an object.`;
  if (parameters === undefined) return;
  yield* checkSchema(parameters, `${path}.parameters`);
  if (isObject(parameters) && String(parameters.type).toUpperCase() !== "OBJECT")
    yield `* GenerateContentRequest.${path}.parameters.type: schema at top-level must be of type OBJECT.`;
}

function* checkSchema(schema: unknown, path: string): Generator<string> {
  if (!isObject(schema))
    return yield `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)`;
  yield* checkUnknownKey(schema, path, SCHEMA_FIELDS);
  if (Array.isArray(schema.type))
    yield `Invalid JSON payload received. Unknown name "type" at '${path}': Proto field is not repeating, cannot start list.`;
  else if (schema.type !== undefined && !SCHEMA_TYPES.includes(String(schema.type).toUpperCase()))
    yield `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "${String(schema.type)}"`;
  yield* checkProperties(schema, path);
  if (schema.items !== undefined) yield* checkSchema(schema.items, `${path}.items`);
  else if (String(schema.type).toUpperCase() === "ARRAY")
    yield `* GenerateContentRequest.${path}.items: missing field.`;
  for (const [index, each] of asArray(schema.anyOf).entries()) yield* checkSchema(each, `${path}.any_of[${index}]`);
}

export const SCHEMA_FIELDS: readonly string[] = [
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "minProperties", "maxProperties", "minLength", "maxLength", "minimum", "maximum", "pattern"],
  ...["example", "anyOf", "propertyOrdering", "default"],
];

const SCHEMA_TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

function* checkProperties({ properties, required }: Body, path: string): Generator<string> {
  if (properties !== undefined && !isObject(properties)) yield `Invalid value at '${path}.properties' (Map)`;
  const knownProperties = isObject(properties) ? properties : {};
  for (const [index, each] of Object.values(knownProperties).entries())
    yield* checkSchema(each, `${path}.properties[${index}].value`);
  for (const [index, name] of asArray(required).entries())
    if (!Object.hasOwn(knownProperties, String(name)))
      yield `* GenerateContentRequest.${path}.required[${index}]: property is not defined`;
}

function* checkContents({ contents, systemInstruction }: Body): Generator<string> {
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

function formatUninitialized(path: string): string {
  return `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`;
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
  // An empty text with a signature is a valid part.
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

function* checkConversation(body: Body, model: string): Generator<string> {
  const contents = asObjects(body.contents);
  for (const { role } of contents)
    if (!isKnownRole(role, contents.length)) yield "Please use a valid role: user, model.";
  const turns = contents.map(readTurn);
  for (const [index, turn] of turns.entries()) {
    const previous = turns[index - 1];
    if (turn.calls.length > 0) yield* checkCallTurn(turn, { previous, following: turns[index + 1], model });
    if (turn.responses.length > 0) yield* checkResponseTurn(turn, previous);
  }
}

/** The role may be missing if there is only one turn. */
function isKnownRole(role: unknown, turns: number): boolean {
  return role === "user" || role === "model" || role === "function" || (role === undefined && turns === 1);
}

interface Turn {
  readonly isModel: boolean;
  readonly calls: readonly Json[];
  readonly responses: readonly Json[];
}

function readTurn({ role, parts }: Json): Turn {
  const allParts = asObjects(parts);
  return {
    isModel: role === "model",
    calls: allParts.map(({ functionCall }) => functionCall).filter(isObject),
    responses: allParts.map(({ functionResponse }) => functionResponse).filter(isObject),
  };
}

interface TurnContext {
  readonly previous: Turn | undefined;
  readonly following: Turn | undefined;
  readonly model: string;
}

function* checkCallTurn({ isModel, calls }: Turn, { previous, following, model }: TurnContext): Generator<string> {
  if (!isModel) yield "Please ensure that function call turn has the role model.";
  if (!previous || previous.isModel)
    yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  if (following?.responses.length !== calls.length)
    yield "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const callWithoutId = calls.find(({ id }) => asString(id) === "");
  if (callWithoutId && requiresCallIds(model))
    yield `Function call '${asString(callWithoutId.name)}': tool_use.id: Field required`;
}

/** Models of other vendors that Google serves. */
function requiresCallIds(model: string): boolean {
  return model.startsWith("claude-") || model.startsWith("gpt-oss-");
}

function* checkResponseTurn({ isModel, responses }: Turn, previous: Turn | undefined): Generator<string> {
  if (isModel) yield "Please ensure that function response turn has the role user or function.";
  const openCalls = [...(previous?.calls ?? [])];
  if (openCalls.length === 0)
    yield "Please ensure that function response turn comes immediately after a function call turn.";
  for (const { id, name } of responses) {
    const index = openCalls.findIndex(
      (call) => call.name === name && (id === undefined || call.id === undefined || call.id === id),
    );
    if (index < 0)
      yield `Please ensure that function response parts match the function call parts: '${asString(name)}'${id === undefined ? "" : ` with id '${asString(id)}'`} was not called.`;
    openCalls.splice(index, 1);
  }
}

function* checkSearches(body: Body, model: string): Generator<string> {
  yield* checkMixedTools(body, model);
  for (const [index, { parts }] of asObjects(body.contents).entries()) yield* checkSearchPairs(asObjects(parts), index);
}

function* checkMixedTools(body: Body, model: string): Generator<string> {
  const tools = asObjects(body.tools);
  const isMixed =
    tools.some(({ googleSearch }) => isObject(googleSearch)) &&
    tools.some(({ functionDeclarations }) => asObjects(functionDeclarations).length > 0);
  if (!isMixed) return;
  if (!/^gemini-([3-9]|\d\d)/.test(model)) yield "Tool use with function calling is unsupported";
  else if (!includesServerTools(body))
    yield "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
}

function* checkSearchPairs(parts: readonly Json[], index: number): Generator<string> {
  const openIds = new Set<string>();
  for (const { toolCall, toolResponse } of parts) {
    if (isObject(toolCall)) openIds.add(asString(toolCall.id));
    if (isObject(toolResponse) && !openIds.delete(asString(toolResponse.id)))
      yield `Please ensure that tool response parts match the tool call parts: '${asString(toolResponse.id)}' in contents[${index}] was not called.`;
  }
  for (const id of openIds)
    yield `Please ensure that every tool call part has its tool response part: '${id}' in contents[${index}].`;
}

/** Refuses a signature that the server did not create, and a missing one in the current turn of a thinking model. */
function* checkSignatures(body: Body, model: string): Generator<string> {
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

/** Google documents these for calls that the model did not make. */
const PLACEHOLDER_SIGNATURES = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function validSignatures(parts: readonly Json[], index: number, model: string): readonly string[] {
  const call = parts[index]?.functionCall;
  const { toolCall, toolResponse } = parts[index] ?? {};
  if (isObject(toolCall)) return [serverSignature(model, toolCall.args ?? {})];
  if (isObject(toolResponse)) return [serverSignature(model, toolResponse.response ?? {})];
  if (isObject(call)) return [callSignature(model, asString(call.name), call.args ?? {})];
  return textEndings(parts, index).map((text) => textSignature(model, text));
}

// A client may join the text parts of a stream or keep them apart, and may omit thoughts.
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

/** The current turn begins at the last user content that is not only function responses. */
function isUserPrompt({ role, parts }: Json): boolean {
  return role !== "model" && asObjects(parts).some(({ functionResponse }) => functionResponse === undefined);
}

function* checkMissingSignature({ role, parts }: Json, index: number): Generator<string> {
  const firstCall = asObjects(parts).find(({ functionCall }) => isObject(functionCall));
  if (role !== "model" || !firstCall || firstCall.thoughtSignature !== undefined) return;
  const name = isObject(firstCall.functionCall) ? asString(firstCall.functionCall.name) : "";
  yield `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`;
}

/** All field names of a request, except those of schemas. */
export const FIELD_NAMES: readonly string[] = [
  ...[
    REQUEST_FIELDS,
    GENERATION_FIELDS,
    CONTENT_FIELDS,
    PART_FIELDS,
    CALL_FIELDS,
    RESPONSE_FIELDS,
    SERVER_CALL_FIELDS,
    SERVER_RESPONSE_FIELDS,
    DATA_FIELDS,
    TOOL_CONFIG_FIELDS,
  ].flat(),
  ...DECLARATION_FIELDS,
  ...["functionDeclarations", "googleSearch", "codeExecution", "urlContext", "mode", "allowedFunctionNames"],
  ...["thinkingBudget", "thinkingLevel", "includeThoughts", "fileUri", "category", "threshold"],
];
