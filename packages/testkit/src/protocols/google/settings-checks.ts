/** Checks the generation settings, the tool choice and the declared functions of a Google request. */

import { isObject, listOf, objectsIn } from "../json.ts";
import type { Body } from "../protocol.ts";
import { unknownName } from "./field-checks.ts";

export function* settingFaults(body: Body): Generator<string> {
  const { generationConfig, toolConfig } = body;
  if (isObject(generationConfig)) yield* generationFaults(generationConfig);
  if (isObject(toolConfig) && isObject(toolConfig.functionCallingConfig))
    yield* choiceFaults(toolConfig.functionCallingConfig, declaredNames(body));
}

function* generationFaults(config: Body): Generator<string> {
  const { maxOutputTokens, temperature, topP, stopSequences, candidateCount } = config;
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && Number(maxOutputTokens) >= 1))
    yield outside("max_output_tokens", "must be positive");
  if (temperature !== undefined && !within(temperature, 2))
    yield outside("temperature", "must be in the range [0.0, 2.0]");
  if (topP !== undefined && !within(topP, 1)) yield outside("top_p", "must be in the range [0.0, 1.0]");
  if (listOf(stopSequences).length > 5) yield outside("stop_sequences", "must have at most 5 values");
  if (candidateCount !== undefined && candidateCount !== 1) yield "Multiple candidates is not enabled for this model";
  if (isObject(config.thinkingConfig)) yield* thinkingFaults(config.thinkingConfig);
}

function* thinkingFaults({ thinkingBudget, thinkingLevel }: Body): Generator<string> {
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    yield "You can only set only one of thinking budget and thinking level.";
  if (thinkingBudget !== undefined && !(Number.isInteger(thinkingBudget) && Number(thinkingBudget) >= -1))
    yield `The thinking budget ${String(thinkingBudget)} is invalid. Please choose a value of at least -1.`;
}

function* choiceFaults({ mode, allowedFunctionNames }: Body, declared: readonly unknown[]): Generator<string> {
  const at = "tool_config.function_calling_config";
  if (mode !== undefined && !["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(mode)))
    yield `Invalid value at '${at}.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "${String(mode)}"`;
  const allowed = listOf(allowedFunctionNames);
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED")
    yield `* GenerateContentRequest.${at}.allowed_function_names: allowed_function_names should be set only when function calling mode is ANY.`;
  const strange = allowed.find((name) => !declared.includes(name));
  if (strange !== undefined)
    yield `* GenerateContentRequest.${at}.allowed_function_names: function '${String(strange)}' is not declared.`;
  if (mode === "ANY" && declared.length === 0) yield "Function calling config is set without function_declarations.";
}

function declaredNames(body: Body): readonly unknown[] {
  return objectsIn(body.tools).flatMap((tool) => objectsIn(tool.functionDeclarations).map(({ name }) => name));
}

function within(value: unknown, most: number): boolean {
  return typeof value === "number" && value >= 0 && value <= most;
}

function outside(name: string, rule: string): string {
  return `* GenerateContentRequest.generation_config.${name}: ${name} ${rule}.`;
}

export function* toolFaults({ tools }: Body): Generator<string> {
  const names = new Set<unknown>();
  for (const [at, tool] of objectsIn(tools).entries())
    for (const [index, declared] of objectsIn(tool.functionDeclarations).entries()) {
      const place = `tools[${at}].function_declarations[${index}]`;
      yield* nameFaults(declared.name, place);
      if (names.has(declared.name)) yield `Duplicate function declaration found: ${String(declared.name)}`;
      names.add(declared.name);
      yield* parameterFaults(declared, place);
    }
}

function* nameFaults(name: unknown, at: string): Generator<string> {
  if (typeof name !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name))
    yield `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
}

/** `parametersJsonSchema` takes any JSON schema; `parameters` only Google's own. */
function* parameterFaults({ parameters, parametersJsonSchema }: Body, at: string): Generator<string> {
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    yield `* GenerateContentRequest.${at}: only one of parameters and parameters_json_schema may be set.`;
  if (parametersJsonSchema !== undefined && !isObject(parametersJsonSchema))
    yield `* GenerateContentRequest.${at}.parameters_json_schema: schema must be an object.`;
  if (parameters === undefined) return;
  yield* schemaFaults(parameters, `${at}.parameters`);
  if (isObject(parameters) && String(parameters.type).toUpperCase() !== "OBJECT")
    yield `* GenerateContentRequest.${at}.parameters.type: schema at top-level must be of type OBJECT.`;
}

function* schemaFaults(schema: unknown, at: string): Generator<string> {
  if (!isObject(schema))
    return yield `Invalid value at '${at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)`;
  yield* unknownName(schema, at, SCHEMA);
  if (Array.isArray(schema.type))
    yield `Invalid JSON payload received. Unknown name "type" at '${at}': Proto field is not repeating, cannot start list.`;
  else if (schema.type !== undefined && !TYPES.includes(String(schema.type).toUpperCase()))
    yield `Invalid value at '${at}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "${String(schema.type)}"`;
  yield* propertyFaults(schema, at);
  if (schema.items !== undefined) yield* schemaFaults(schema.items, `${at}.items`);
  else if (String(schema.type).toUpperCase() === "ARRAY") yield `* GenerateContentRequest.${at}.items: missing field.`;
  for (const [index, each] of listOf(schema.anyOf).entries()) yield* schemaFaults(each, `${at}.any_of[${index}]`);
}

function* propertyFaults({ properties, required }: Body, at: string): Generator<string> {
  if (properties !== undefined && !isObject(properties)) yield `Invalid value at '${at}.properties' (Map)`;
  const known = isObject(properties) ? properties : {};
  for (const [index, each] of Object.values(known).entries())
    yield* schemaFaults(each, `${at}.properties[${index}].value`);
  for (const [index, name] of listOf(required).entries())
    if (!Object.hasOwn(known, String(name)))
      yield `* GenerateContentRequest.${at}.required[${index}]: property is not defined`;
}

const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

export const SCHEMA: readonly string[] = [
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "minProperties", "maxProperties", "minLength", "maxLength", "minimum", "maximum", "pattern"],
  ...["example", "anyOf", "propertyOrdering", "default"],
];
