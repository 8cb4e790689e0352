/** `pith __sessions`: ids for a shell to complete, by the names of files alone. Nothing in them can be more than a word. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { folderName, sessionsFolder } from "@pith/context/node";
import type { Environment } from "@pith/models";

/** One a line, with when it began; this folder's first, newest first. */
export function sessionWords(cwd: string, environment: Environment): string {
  const all = sessionsFolder(environment);
  const own = folderName(cwd);
  const others = namesIn(all).filter((name) => name !== own);
  const words = [...newest(namesIn(join(all, own))), ...newest(others.flatMap((name) => namesIn(join(all, name))))];
  return ["last\tthe last of this folder", ...words.slice(0, MOST)].join("\n");
}

function newest(names: readonly string[]): readonly string[] {
  const found = names.flatMap((name) => {
    const [, day = "", hour = "", minute = "", id = ""] = NAME.exec(name) ?? [];
    return id === "" ? [] : [{ name, word: `${id}\t${day} ${hour}:${minute}` }];
  });
  return found.sort((one, other) => (one.name < other.name ? 1 : -1)).map(({ word }) => word);
}

const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-\d\d-\d{3}Z_([A-Za-z0-9][A-Za-z0-9._-]*)\.jsonl$/;
const MOST = 500;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing there is nothing to complete.
    return [];
  }
}
