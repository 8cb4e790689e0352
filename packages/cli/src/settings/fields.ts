/** Splits settings into fields by path, joins fields into settings, and checks the value of one setting. */

import { isObject, type JsonObject } from "../text/jsonc.ts";
import { oneLine } from "../text/safe-text.ts";
import type { Setting } from "./definitions.ts";
import type { Settings } from "./settings.ts";
import { settingTable } from "./table.ts";

export type Path = readonly string[];

/** One setting that somebody has set. */
export interface Field {
  readonly path: Path;
  readonly value: unknown;
  /** Who said it: a file, a variable or a flag. */
  readonly from: string;
}

export function fieldsOf(settings: Settings, from: string): readonly Field[] {
  return leavesIn(settings as JsonObject, []).map(({ path, value }) => ({ path, value, from }));
}

/** Of those for the same setting, the last counts. */
export function settingsFrom(fields: readonly Field[]): Settings {
  return nested(fields.map(({ path, value }) => ({ path, value })));
}

/** The setting that lies there. */
export function settingAt(path: Path): Setting | undefined {
  return ways.find(({ parts }) => parts.length === path.length && leadsTo(parts, path))?.setting;
}

/** The first of the settings that lie below it. */
export function firstBelow(path: Path): Setting | undefined {
  return ways.find(({ parts }) => parts.length > path.length && leadsTo(parts, path))?.setting;
}

const ways = settingTable.map((setting) => ({ setting, parts: setting.name.split(".") }));

function leadsTo(parts: readonly string[], path: Path): boolean {
  return path.every((part, at) => parts[at] === "*" || parts[at] === part);
}

/** As people write it; a name that the user chose stands in brackets. */
export function shownName(path: Path): string {
  const parts = (settingAt(path) ?? firstBelow(path))?.name.split(".");
  const shown = path.map((part, at) =>
    parts?.[at] === "*" ? `[${JSON.stringify(clipped(part))}]` : `.${clipped(part)}`,
  );
  return shown.join("").replace(/^\./, "");
}

/** Whatever somebody calls it, it is a name in a line of ours. */
function clipped(part: string): string {
  return oneLine(part.length > LONGEST ? `${part.slice(0, LONGEST)}…` : part);
}

const LONGEST = 80;

interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

function leavesIn(object: JsonObject, above: Path): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = [...above, name];
    if (settingAt(path)) return [{ path, value }];
    return firstBelow(path) && isObject(value) ? leavesIn(value, path) : [];
  });
}

/** By entries, so that a name such as `__proto__` is a name like any other. */
function nested(leaves: readonly Leaf[]): JsonObject {
  const byName = Map.groupBy(leaves, ({ path }) => path[0] ?? "");
  return Object.fromEntries(
    [...byName].map(([name, own]) => {
      const last = own.at(-1);
      if (last?.path.length === 1) return [name, last.value];
      return [name, nested(own.map(({ path, value }) => ({ path: path.slice(1), value })))];
    }),
  );
}

/** As the end of a sentence that begins with where it stands; null when it is right. */
export function whatIsWrong(path: Path, value: unknown): string | null {
  const setting = settingAt(path);
  if (!setting) return "is no setting";
  const { kind } = setting;
  return kind.fits(value) ? null : `is ${shown(value)}; write ${kind.write}`;
}

/** The beginning of it. */
export function shown(value: unknown): string {
  const whole = JSON.stringify(value) ?? "nothing";
  return whole.length > MAX_VALUE_CHARS ? `${whole.slice(0, MAX_VALUE_CHARS)}…` : whole;
}

const MAX_VALUE_CHARS = 60;
