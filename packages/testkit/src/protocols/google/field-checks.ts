/** Checks a Google request for unknown field names, before any other check. */

import { asObjects, findUnknownKey, isObject } from "../json.ts";
import type { Body } from "../protocol.ts";

export function* checkFields(body: Body): Generator<string> {
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

export function* checkUnknownKey(value: unknown, path: string, knownKeys: readonly string[]): Generator<string> {
  const unknownKey = isObject(value) ? findUnknownKey(value, knownKeys) : undefined;
  if (unknownKey === undefined) return;
  const location = path === "" ? "" : ` at '${path}'`;
  yield `Invalid JSON payload received. Unknown name "${unknownKey}"${location}: Cannot find field.`;
}

/** The parts' kinds of data; a part holds exactly one. */
export const DATA_KINDS: readonly string[] = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
];

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

/** Every name that one of its messages has, apart from those of schemas. */
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
