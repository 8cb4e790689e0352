/** What Google refuses about declared functions: their names, and schemas that are not of its own small dialect. */

import { isObject, listOf, objectsIn } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import { unknownName } from "./fields.ts";

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
