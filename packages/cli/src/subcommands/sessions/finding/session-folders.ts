/** What `--folder` names: a folder one works in, or one that holds sessions, such as another program's. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { realFiles } from "@pith/context/node";
import type { Call } from "../../subcommand.ts";

export type Place =
  | { readonly type: "all" }
  /** The folder one works in. */
  | { readonly type: "cwd"; readonly cwd: string }
  /** Folders that hold sessions. */
  | { readonly type: "folders"; readonly folders: readonly string[] };

export function placeIn({ flags, cwd }: Pick<Call, "flags" | "cwd">): Place {
  if (typeof flags.folder === "string") return placeOf(resolve(cwd, atHome(flags.folder)));
  return flags.all === true ? { type: "all" } : { type: "cwd", cwd };
}

/** The folders to look into, where `--folder` names some that hold sessions; else nothing. */
export function foldersIn(call: Pick<Call, "flags" | "cwd">): readonly string[] | undefined {
  const place = typeof call.flags.folder === "string" ? placeIn(call) : null;
  return place?.type === "folders" ? place.folders : undefined;
}

function placeOf(folder: string): Place {
  if (holdsSessions(folder)) return { type: "folders", folders: [folder] };
  const inside = realFiles.list(folder).map((name) => join(folder, name));
  const holding = inside.filter((each) => realFiles.stat(each)?.kind === "folder" && holdsSessions(each));
  return holding.length > 0 ? { type: "folders", folders: holding } : { type: "cwd", cwd: folder };
}

function holdsSessions(folder: string): boolean {
  return realFiles.list(folder).some((name) => SESSION.test(name));
}

/** As pi and Pith name them; a project may hold other files that end so. */
const SESSION = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/s;

/** A tilde that no shell has seen, or left where it stands behind an equals sign. */
export function atHome(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? join(homedir(), folder.slice(2)) : folder;
}
