/** Whether anybody else can read or write what Pith keeps; `--fix` takes those rights away, and changes nothing else. */

import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { realFiles } from "@pith/context/node";
import { counted } from "../../printing/amounts.ts";
import { progress } from "../sessions/wording/progress.ts";
import type { Call } from "../subcommand.ts";
import { type Check, fault, ok, warning } from "./check.ts";

export async function rightsCheck({ home, flags, note }: Call): Promise<Check> {
  const open = openPaths(home, progress(note));
  const [first] = open;
  if (first === undefined) return ok("rights", `${home} is yours alone`);
  if (flags.fix !== true) return toldOpen(open, first, home);
  const left = open.filter((path) => !closed(path));
  if (left.length === 0) return ok("rights", `taken from others for ${counted(open.length, "path")}`);
  return fault("rights", `others still have rights to ${left[0]}${more(left.length)}`, "take them away with chmod");
}

/** Who makes the home with a plain mkdir shows the names of files to others, and nothing that is kept in them. */
function toldOpen(open: readonly string[], first: string, home: string): Check {
  const isListed = open.length === 1 && first === home && !isOpen(home, OTHERS_WRITE);
  if (isListed) return warning("rights", `others can list what lies in ${home}`, ADVICE);
  return fault("rights", `others have rights to ${first}${more(open.length)}`, ADVICE);
}

const ADVICE = "pith doctor --fix takes them away";

function more(count: number): string {
  return count > 1 ? ` and ${counted(count - 1, "other path")}` : "";
}

/** The home and what Pith keeps in it, whatever else lies there; links are not followed. */
function openPaths(home: string, told: (line: string) => void): readonly string[] {
  const isOwn = home !== homedir() && dirname(home) !== home;
  const found = isOwn && isOpen(home, OTHERS) ? [home] : [];
  for (const name of WRITTEN) if (isOpen(join(home, name), OTHERS_WRITE)) found.push(join(home, name));
  const waiting = KEPT.map((name) => join(home, name));
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined && seen < MOST; path = waiting.pop()) {
    told(`looked at the rights of ${++seen} paths`);
    if (isOpen(path, OTHERS)) found.push(path);
    if (realFiles.stat(path)?.kind === "folder") waiting.push(...namesIn(path));
  }
  return found;
}

/** Nobody else reads these. */
const KEPT = ["sessions", "history", "trash", "restore", "keys.json", "redaction.key", "search.db", "windows.json"];
/** Nobody else writes these; a user may want to show them. */
const WRITTEN = ["settings.json", "permissions.json", "trust.json"];

function isOpen(path: string, rights: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & rights) !== 0;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // What cannot be read here is nothing that others could read through it.
    return [];
  }
}

function closed(path: string): boolean {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return false;
    chmodSync(path, stats.mode & 0o700);
    return true;
  } catch {
    // Not ours to change: told as what is left.
    return false;
  }
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const MOST = 200_000;
