/** Lists every setting with its value and source for `/settings` and `pith settings`, and builds the JSON Schema for editors. */

import type { JsonObject } from "../text/jsonc.ts";
import type { Setting } from "./definitions.ts";
import { fieldsOf, settingAt, shownName } from "./fields.ts";
import type { Sources } from "./resolve.ts";
import type { Settings } from "./settings.ts";
import { settingTable } from "./table.ts";

export interface ListedSetting {
  readonly name: string;
  /** Null where what holds is no value; then `words` say it. */
  readonly value: unknown;
  readonly words?: string;
  /** A file, a variable, a flag, or `default`. */
  readonly source: string;
  readonly says: string;
}

/** In the order of the table; of what can be said of many, what was said. */
export function listedSettings(choices: Settings, sources: Sources): readonly ListedSetting[] {
  const set = Map.groupBy(fieldsOf(choices, ""), ({ path }) => settingAt(path));
  return settingTable.flatMap((setting) => {
    const own = set.get(setting) ?? [];
    if (own.length === 0) return setting.name.includes("*") ? [] : [unset(setting)];
    return own.map(({ path, value }) => {
      const name = shownName(path);
      const shown = setting.isHidden ? hidden(value) : { value };
      return { name, ...shown, source: sources.get(name) ?? "default", says: setting.says };
    });
  });
}

function hidden(value: unknown): Pick<ListedSetting, "value" | "words"> {
  const names = Object.keys(Object(value));
  return { value: null, words: names.length === 0 ? "none" : `set: ${names.join(", ")}` };
}

function unset({ name, fallback, says }: Setting): ListedSetting {
  if ("value" in fallback) return { name, value: fallback.value, source: "default", says };
  return { name, value: null, words: fallback.words, source: "default", says };
}

/** One line for each; who said it stands behind what somebody said. */
export function shownSettings(listed: readonly ListedSetting[]): string {
  const width = Math.max(...listed.map(({ name }) => name.length));
  return listed
    .map(({ name, value, words, source }) => {
      const held = words === undefined ? JSON.stringify(value) : `(${words.replaceAll("`", "")})`;
      return `${name.padEnd(width)}  ${held}${source === "default" ? "" : `  ← ${source}`}`;
    })
    .join("\n");
}

export function settingsSchema(): JsonObject {
  return schemaFor(settingTable, "Settings of pith");
}

/** For a file of JSON whose items are named with points. */
export function schemaFor(items: readonly SchemaItem[], title: string): JsonObject {
  const { properties, ...whole } = objectOf(items.map((setting) => ({ parts: setting.name.split("."), setting })));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...whole,
    properties: { $schema: { type: "string" }, ...(properties as JsonObject) },
  };
}

export type SchemaItem = Pick<Setting, "name" | "kind" | "says" | "names"> & Partial<Pick<Setting, "fallback">>;

interface Placed {
  /** What is left of the way to it. */
  readonly parts: readonly string[];
  readonly setting: SchemaItem;
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
  return { description: says, ...kind.schema, ...(fallback && "value" in fallback && { default: fallback.value }) };
}

function keysOf([any]: readonly Placed[]): JsonObject {
  return any?.setting.names ? { propertyNames: any.setting.names.schema } : {};
}
