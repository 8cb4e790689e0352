/** The settings as a JSON Schema, so that editors complete them and underline what is wrong. */

import type { JsonObject } from "../json.ts";
import type { Setting } from "./known/setting.ts";
import { settingTable } from "./known/table.ts";

export function settingsSchema(): JsonObject {
  const { properties, ...whole } = objectOf(
    settingTable.map((setting) => ({ parts: setting.name.split("."), setting })),
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of pith",
    ...whole,
    properties: { $schema: { type: "string" }, ...(properties as JsonObject) },
  };
}

interface Placed {
  /** What is left of the way to it. */
  readonly parts: readonly string[];
  readonly setting: Setting;
}

function objectOf(placed: readonly Placed[]): JsonObject {
  const names = [...new Set(placed.map(({ parts }) => parts[0] ?? ""))];
  const schemas = names.map((name) => [name, schemaOf(placed.filter(({ parts }) => parts[0] === name))] as const);
  const [[first, any] = ["", {}]] = schemas;
  if (first === "*") return { type: "object", ...keysOf(placed), additionalProperties: any };
  return { type: "object", properties: Object.fromEntries(schemas), additionalProperties: false };
}

function schemaOf(placed: readonly Placed[]): JsonObject {
  const [only] = placed;
  if (only?.parts.length !== 1)
    return objectOf(placed.map(({ parts, setting }) => ({ parts: parts.slice(1), setting })));
  const { kind, says, fallback } = only.setting;
  return { description: says, ...kind.schema, ...("value" in fallback && { default: fallback.value }) };
}

function keysOf([any]: readonly Placed[]): JsonObject {
  return any?.setting.names ? { propertyNames: any.setting.names.schema } : {};
}
