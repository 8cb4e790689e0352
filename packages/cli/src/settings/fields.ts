/** Splits settings into fields by path, joins fields into settings, and checks the value of one setting. */

import { isObject, type JsonObject } from "../text/jsonc.ts";
import { escapeLineBreaks } from "../text/safe-text.ts";
import type { Setting } from "./definitions.ts";
import type { Settings } from "./settings.ts";
import { settingTable } from "./table.ts";

export type SettingPath = readonly string[];

/** One setting that somebody has set. */
export interface SettingField {
  readonly path: SettingPath;
  readonly value: unknown;
  /** Who said it: a file, a variable or a flag. */
  readonly from: string;
}

export function listFields(settings: Settings, source: string): readonly SettingField[] {
  return collectLeaves(settings as JsonObject, []).map(({ path, value }) => ({ path, value, from: source }));
}

/** Of those for the same setting, the last counts. */
export function buildSettings(fields: readonly SettingField[]): Settings {
  return nestLeaves(fields.map(({ path, value }) => ({ path, value })));
}

/** The setting that lies there. */
export function findSetting(path: SettingPath): Setting | undefined {
  return settingPatterns.find(({ parts }) => parts.length === path.length && matchesPattern(parts, path))?.setting;
}

/** The first of the settings that lie below it. */
export function findFirstNestedSetting(path: SettingPath): Setting | undefined {
  return settingPatterns.find(({ parts }) => parts.length > path.length && matchesPattern(parts, path))?.setting;
}

const settingPatterns = settingTable.map((setting) => ({ setting, parts: setting.name.split(".") }));

function matchesPattern(pattern: readonly string[], path: SettingPath): boolean {
  return path.every((part, index) => pattern[index] === "*" || pattern[index] === part);
}

/** As people write it; a name that the user chose stands in brackets. */
export function formatSettingName(path: SettingPath): string {
  const pattern = (findSetting(path) ?? findFirstNestedSetting(path))?.name.split(".");
  const segments = path.map((part, index) =>
    pattern?.[index] === "*" ? `[${JSON.stringify(formatNamePart(part))}]` : `.${formatNamePart(part)}`,
  );
  return segments.join("").replace(/^\./, "");
}

/** Whatever somebody calls it, it is a name in a line of ours. */
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

/** By entries, so that a name such as `__proto__` is a name like any other. */
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

/** As the end of a sentence that begins with where it stands; null when it is right. */
export function validateSetting(path: SettingPath, value: unknown): string | null {
  const setting = findSetting(path);
  if (!setting) return "is no setting";
  const { kind } = setting;
  return kind.isValid(value) ? null : `is ${formatValue(value)}; write ${kind.expected}`;
}

/** The beginning of it. */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > MAX_VALUE_CHARS ? `${json.slice(0, MAX_VALUE_CHARS)}…` : json;
}

const MAX_VALUE_CHARS = 60;
