/** Splits settings into fields by path, joins fields into settings, and finds, names and validates single settings. */

import { isObject, type JsonObject } from "../text/jsonc.ts";
import { escapeLineBreaks } from "../text/safe-text.ts";
import type { Setting } from "./definitions.ts";
import type { Settings } from "./settings.ts";
import { settingTable } from "./table.ts";

export type SettingPath = readonly string[];

/** One setting with its value. */
export interface SettingField {
  readonly path: SettingPath;
  readonly value: unknown;
  /** The source: a file, a variable or a flag. */
  readonly from: string;
}

export function listFields(settings: Settings, source: string): readonly SettingField[] {
  return collectLeaves(settings as JsonObject, []).map(({ path, value }) => ({ path, value, from: source }));
}

/** If several fields are for the same setting, the last one applies. */
export function buildSettings(fields: readonly SettingField[]): Settings {
  return nestLeaves(fields.map(({ path, value }) => ({ path, value })));
}

/** Returns the setting at the path. */
export function findSetting(path: SettingPath): Setting | undefined {
  return settingPatterns.find(({ parts }) => parts.length === path.length && matchesPattern(parts, path))?.setting;
}

/** Returns the first setting below the path. */
export function findFirstNestedSetting(path: SettingPath): Setting | undefined {
  return settingPatterns.find(({ parts }) => parts.length > path.length && matchesPattern(parts, path))?.setting;
}

const settingPatterns = settingTable.map((setting) => ({ setting, parts: setting.name.split(".") }));

function matchesPattern(pattern: readonly string[], path: SettingPath): boolean {
  return path.every((part, index) => pattern[index] === "*" || pattern[index] === part);
}

/** Formats the path for messages, as in `compaction.modelOverrides["openai/gpt-5"].reserveTokens`. Names chosen by the user are in brackets. */
export function formatSettingName(path: SettingPath): string {
  const pattern = (findSetting(path) ?? findFirstNestedSetting(path))?.name.split(".");
  const segments = path.map((part, index) =>
    pattern?.[index] === "*" ? `[${JSON.stringify(formatNamePart(part))}]` : `.${formatNamePart(part)}`,
  );
  return segments.join("").replace(/^\./, "");
}

/** Shortens and escapes a name, because the user may choose any text. */
function formatNamePart(part: string): string {
  return escapeLineBreaks(part.length > MAX_NAME_PART_CHARS ? `${part.slice(0, MAX_NAME_PART_CHARS)}…` : part);
}

const MAX_NAME_PART_CHARS = 80;

interface Leaf {
  readonly path: SettingPath;
  readonly value: unknown;
}

function collectLeaves(object: JsonObject, parentPath: SettingPath): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = [...parentPath, name];
    if (findSetting(path)) return [{ path, value }];
    return findFirstNestedSetting(path) && isObject(value) ? collectLeaves(value, path) : [];
  });
}

/** Uses `fromEntries`, which treats a name such as `__proto__` like any other. */
function nestLeaves(leaves: readonly Leaf[]): JsonObject {
  const byName = Map.groupBy(leaves, ({ path }) => path[0] ?? "");
  return Object.fromEntries(
    [...byName].map(([name, group]) => {
      const last = group.at(-1);
      if (last?.path.length === 1) return [name, last.value];
      return [name, nestLeaves(group.map(({ path, value }) => ({ path: path.slice(1), value })))];
    }),
  );
}

/** Returns the problem as the end of a sentence that starts with the setting's name or location. Null if the value is valid. */
export function validateSetting(path: SettingPath, value: unknown): string | null {
  const setting = findSetting(path);
  if (!setting) return "is not a setting";
  const { kind } = setting;
  return kind.isValid(value) ? null : `is ${formatValue(value)}; expected ${kind.expected}`;
}

/** Formats a value as JSON, shortened for messages. */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > MAX_VALUE_CHARS ? `${json.slice(0, MAX_VALUE_CHARS)}…` : json;
}

const MAX_VALUE_CHARS = 60;
