/** Lists every setting with its value and source for `/settings` and `pith settings`, and builds the JSON Schema for editors. */

import type { Setting } from "@pith/host/settings/definitions";
import { findSetting, formatSettingName, listFields } from "@pith/host/settings/fields";
import type { Settings } from "@pith/host/settings/settings";
import { settingTable } from "@pith/host/settings/table";
import type { JsonObject } from "@pith/host/text/jsonc";
import type { SettingSources } from "./resolve.ts";

export interface ListedSetting {
  readonly name: string;
  /** Null if the value is hidden or depends on other things; then `valueText` describes it. */
  readonly value: unknown;
  readonly valueText?: string;
  /** A file, a variable, a flag, or `default`. */
  readonly source: string;
  readonly description: string;
}

/** In the order of the table. A setting with `*` in its name is listed once for each name that is set. */
export function listSettings(settings: Settings, sources: SettingSources): readonly ListedSetting[] {
  const fieldsBySetting = Map.groupBy(listFields(settings, ""), ({ path }) => findSetting(path));
  return settingTable.flatMap((setting) => {
    const fields = fieldsBySetting.get(setting) ?? [];
    if (fields.length === 0) return setting.name.includes("*") ? [] : [listDefault(setting)];
    return fields.map(({ path, value }) => {
      const name = formatSettingName(path);
      const displayValue = setting.isHidden ? hideValue(value) : { value };
      return { name, ...displayValue, source: sources.get(name) ?? "default", description: setting.description };
    });
  });
}

function hideValue(value: unknown): Pick<ListedSetting, "value" | "valueText"> {
  const names = Object.keys(Object(value));
  return { value: null, valueText: names.length === 0 ? "none" : `set: ${names.join(", ")}` };
}

function listDefault({ name, fallback, description }: Setting): ListedSetting {
  if ("value" in fallback) return { name, value: fallback.value, source: "default", description };
  return { name, value: null, valueText: fallback.description, source: "default", description };
}

/** Returns one line per setting, with the source after each value that is not a default. */
export function formatSettings(settings: readonly ListedSetting[]): string {
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings
    .map(({ name, value, valueText, source }) => {
      const shownValue = valueText === undefined ? JSON.stringify(value) : `(${valueText.replaceAll("`", "")})`;
      return `${name.padEnd(width)}  ${shownValue}${source === "default" ? "" : `  ← ${source}`}`;
    })
    .join("\n");
}

export function buildSettingsSchema(): JsonObject {
  return buildSchema(settingTable, "Pith settings");
}

/** Builds the JSON Schema of a file whose items have names such as `compaction.enabled`. */
export function buildSchema(items: readonly SchemaItem[], title: string): JsonObject {
  const { properties, ...rootSchema } = buildObjectSchema(
    items.map((setting) => ({ parts: setting.name.split("."), setting })),
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...rootSchema,
    properties: { $schema: { type: "string" }, ...(properties as JsonObject) },
  };
}

export type SchemaItem = Pick<Setting, "name" | "kind" | "description" | "nameKind"> &
  Partial<Pick<Setting, "fallback">>;

interface SchemaEntry {
  /** The remaining parts of the setting's name. */
  readonly parts: readonly string[];
  readonly setting: SchemaItem;
}

function buildObjectSchema(entries: readonly SchemaEntry[]): JsonObject {
  const names = [...new Set(entries.map(({ parts }) => parts[0] ?? ""))];
  const schemas = names.map(
    (name) => [name, buildPropertySchema(entries.filter(({ parts }) => parts[0] === name))] as const,
  );
  const [[firstName, firstSchema] = ["", {}]] = schemas;
  if (firstName === "*") return { type: "object", ...buildNameSchema(entries), additionalProperties: firstSchema };
  return { type: "object", properties: Object.fromEntries(schemas), additionalProperties: false };
}

function buildPropertySchema(entries: readonly SchemaEntry[]): JsonObject {
  const [firstEntry] = entries;
  if (firstEntry?.parts.length !== 1)
    return buildObjectSchema(entries.map(({ parts, setting }) => ({ parts: parts.slice(1), setting })));
  const { kind, description, fallback } = firstEntry.setting;
  return { description, ...kind.schema, ...(fallback && "value" in fallback && { default: fallback.value }) };
}

function buildNameSchema([firstEntry]: readonly SchemaEntry[]): JsonObject {
  return firstEntry?.setting.nameKind ? { propertyNames: firstEntry.setting.nameKind.schema } : {};
}
