/** Every setting with its value and who said it: the list of `/settings` and `pith settings`. */

import type { Sources } from "../choose.ts";
import type { Settings } from "../settings.ts";
import { fieldsOf, settingAt, shownName } from "./field.ts";
import type { Setting } from "./known/setting.ts";
import { settingTable } from "./known/table.ts";

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
