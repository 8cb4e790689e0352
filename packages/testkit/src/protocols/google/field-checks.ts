/** Checks a Google request for unknown field names, before any other check. */

import { isObject, objectsIn, stranger } from "../json.ts";
import type { Body } from "../protocol.ts";

export function* fieldFaults(body: Body): Generator<string> {
  yield* unknownName(body, "", REQUEST);
  yield* unknownName(body.generationConfig, "generation_config", GENERATION);
  yield* unknownName(body.systemInstruction, "system_instruction", CONTENT);
  yield* unknownName(body.toolConfig, "tool_config", TOOL_CONFIG);
  for (const [at, content] of objectsIn(body.contents).entries()) yield* contentNames(content, `contents[${at}]`);
  for (const [at, tool] of objectsIn(body.tools).entries())
    for (const [index, each] of objectsIn(tool.functionDeclarations).entries())
      yield* unknownName(each, `tools[${at}].function_declarations[${index}]`, DECLARATION);
}

function* contentNames(content: Body, at: string): Generator<string> {
  yield* unknownName(content, at, CONTENT);
  for (const [index, part] of objectsIn(content.parts).entries()) {
    const place = `${at}.parts[${index}]`;
    yield* unknownName(part, place, PART);
    yield* unknownName(part.functionCall, `${place}.function_call`, CALL);
    yield* unknownName(part.functionResponse, `${place}.function_response`, RESPONSE);
    yield* unknownName(part.toolCall, `${place}.tool_call`, SERVER_CALL);
    yield* unknownName(part.toolResponse, `${place}.tool_response`, SERVER_RESPONSE);
    yield* unknownName(part.inlineData, `${place}.inline_data`, DATA);
  }
}

export function* unknownName(value: unknown, at: string, known: readonly string[]): Generator<string> {
  const strange = isObject(value) ? stranger(value, known) : undefined;
  if (strange === undefined) return;
  const place = at === "" ? "" : ` at '${at}'`;
  yield `Invalid JSON payload received. Unknown name "${strange}"${place}: Cannot find field.`;
}

/** The parts' kinds of data; a part holds exactly one. */
export const DATA_KINDS: readonly string[] = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
];

const REQUEST = [
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
  ...["cachedContent", "labels", "serviceTier", "store"],
];

const GENERATION = [
  ...["maxOutputTokens", "temperature", "topP", "topK", "seed", "stopSequences", "candidateCount"],
  ...["frequencyPenalty", "presencePenalty", "responseMimeType", "responseSchema", "responseJsonSchema"],
  ...["responseLogprobs", "logprobs", "responseModalities", "speechConfig", "thinkingConfig", "imageConfig"],
  ...["mediaResolution", "enableEnhancedCivicAnswers", "audioTimestamp", "routingConfig"],
];

const CONTENT = ["role", "parts"];
const PART = [...DATA_KINDS, "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
const CALL = ["id", "name", "args"];
const RESPONSE = ["id", "name", "response", "parts", "willContinue", "scheduling"];
const SERVER_CALL = ["id", "toolType", "args"];
const SERVER_RESPONSE = ["id", "toolType", "response"];
const DATA = ["mimeType", "data", "displayName"];
const TOOL_CONFIG = ["functionCallingConfig", "retrievalConfig", "includeServerSideToolInvocations"];
const DECLARATION = [
  ...["name", "description", "behavior", "parameters", "parametersJsonSchema"],
  ...["response", "responseJsonSchema"],
];

/** Every name that one of its messages has, apart from those of schemas. */
export const NAMES: readonly string[] = [
  ...[REQUEST, GENERATION, CONTENT, PART, CALL, RESPONSE, SERVER_CALL, SERVER_RESPONSE, DATA, TOOL_CONFIG].flat(),
  ...DECLARATION,
  ...["functionDeclarations", "googleSearch", "codeExecution", "urlContext", "mode", "allowedFunctionNames"],
  ...["thinkingBudget", "thinkingLevel", "includeThoughts", "fileUri", "category", "threshold"],
];
