/** Checks the generation settings, the tool choice and the declared functions of a Google request. */

import { asArray, asObjects, isObject } from "../json.ts";
import type { Body } from "../protocol.ts";
import { checkUnknownKey } from "./field-checks.ts";

export function* checkSettings(body: Body): Generator<string> {
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

function isInRange(value: unknown, max: number): boolean {
  return typeof value === "number" && value >= 0 && value <= max;
}

function outOfRange(name: string, rule: string): string {
  return `* GenerateContentRequest.generation_config.${name}: ${name} ${rule}.`;
}

export function* checkTools({ tools }: Body): Generator<string> {
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

/** `parametersJsonSchema` takes any JSON schema; `parameters` only Google's own. */
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

function* checkProperties({ properties, required }: Body, path: string): Generator<string> {
  if (properties !== undefined && !isObject(properties)) yield `Invalid value at '${path}.properties' (Map)`;
  const knownProperties = isObject(properties) ? properties : {};
  for (const [index, each] of Object.values(knownProperties).entries())
    yield* checkSchema(each, `${path}.properties[${index}].value`);
  for (const [index, name] of asArray(required).entries())
    if (!Object.hasOwn(knownProperties, String(name)))
      yield `* GenerateContentRequest.${path}.required[${index}]: property is not defined`;
}

const SCHEMA_TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

export const SCHEMA_FIELDS: readonly string[] = [
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "minProperties", "maxProperties", "minLength", "maxLength", "minimum", "maximum", "pattern"],
  ...["example", "anyOf", "propertyOrdering", "default"],
];
