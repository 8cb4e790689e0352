/** The user's settings file: text in, settings out, or every mistake in it by its name. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { nearest } from "../asking/nearest.ts";
import { isObject, type JsonObject, readJson } from "./json.ts";
import type { Settings } from "./settings.ts";
import { settingNames, whatIsWrong } from "./settings-field.ts";

export type ReadSettings =
  | { readonly type: "read"; readonly settings: Settings; readonly notes: readonly string[] }
  | Mistake;

/** No file is no mistake. */
export async function readSettings(home: string): Promise<ReadSettings> {
  const file = join(home, "settings.json");
  try {
    return settingsIn(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", settings: {}, notes: [] };
    return mistake(`${file} cannot be read: ${message}`);
  }
}

export function settingsIn(text: string, file: string): ReadSettings {
  const read = readJson(text);
  if (read.type === "broken") return mistake(`${file} is no JSON: ${read.why}; ${ADVICE}`);
  if (read.type === "other") return mistake(`${file} is no JSON object; write { "model": "provider/model" }`);
  const fields = fieldsOf(read.value);
  const wrong = fields.filter(({ fault }) => fault !== null).map(({ name, fault }) => `${file}: ${name} ${fault}`);
  if (wrong.length > 0) return mistake(wrong.join("\n"));
  const unknown = fields.filter(({ isKnown }) => !isKnown).map(({ name }) => name);
  const notes = unknown.map((name) => `${file}: ${name} is no setting${meant(name)}`);
  return { type: "read", settings: read.value, notes };
}

const ADVICE = "write it without comments and without a comma before a closing bracket";

interface Field {
  readonly name: string;
  readonly isKnown: boolean;
  /** Null: right, or nothing that we know of. */
  readonly fault: string | null;
}

function fieldsOf(settings: JsonObject): readonly Field[] {
  const inner = isObject(settings.compaction) ? Object.entries(settings.compaction) : [];
  const all = [...Object.entries(settings), ...inner.map(([name, value]) => [`compaction.${name}`, value] as const)];
  return all.map(([name, value]) => {
    const isKnown = settingNames.includes(name);
    return { name, isKnown, fault: isKnown ? whatIsWrong(name, value) : (ELSEWHERE[name] ?? null) };
  });
}

/** Whoever believes that something is denied must not find out later that it was not. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  allow: "is no setting: give rules with --allow",
  deny: "is no setting: give rules with --deny",
  permissions: "is no setting: give rules with --allow and --deny",
};

function meant(name: string): string {
  const near = nearest(name, settingNames);
  return near === null ? `; there are ${settingNames.join(", ")}` : `; did you mean ${near}?`;
}
