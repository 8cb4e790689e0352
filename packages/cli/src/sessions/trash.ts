/** Moves sessions to the trash, with the file originals kept for them, and logs each deletion. */

import { constants } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskErrorCode, findSession, realFiles, sessionIdToFileName, trashSession } from "@pith/context/node";
import type { Call, Outcome } from "../args/subcommand.ts";
import { mistake } from "../text/usage-error.ts";
import { isPlainId, looked, meantToWrite, whyNot } from "./find-session.ts";

export interface Deletion {
  /** Into the trash, or out of it for good. */
  readonly act: "trashed" | "removed";
  readonly id: string;
  /** Where it lay before; null where nobody knows. */
  readonly path: string | null;
  /** Its own in the trash. */
  readonly folder: string;
  /** The subcommand that did it. */
  readonly by: "rm" | "prune";
}

/** What stood in the way; null where it is noted. */
export async function logged(home: string, deletion: Deletion): Promise<string | null> {
  try {
    await noted(home, deletion);
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return `it cannot be noted in ${logFile(home)}: the disk gave ${code}`;
  }
}

function logFile(home: string): string {
  return join(home, "trash", "log.jsonl");
}

async function noted(home: string, deletion: Deletion): Promise<void> {
  await mkdir(dirname(logFile(home)), { recursive: true, mode: 0o700 });
  const file = await open(logFile(home), APPEND, 0o600);
  try {
    await file.write(`${JSON.stringify({ time: new Date().toISOString(), ...deletion })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Stays where another session has the same id, as a copy made by hand does. */
export async function keptFilesFollow(
  id: string,
  { home, into }: { readonly home: string; readonly into: string },
): Promise<void> {
  // A file that cannot be read does not say whose it is.
  if (id === "") return;
  const still = await findSession(id, { env: { PITH_HOME: home } });
  if (still.type === "none") await moved(keptFor(id, home), join(into, KEPT));
}

export async function keptFilesReturn(
  id: string,
  { home, from }: { readonly home: string; readonly from: string },
): Promise<void> {
  await moved(join(from, KEPT), keptFor(id, home));
}

/** Wherever files may be kept for a session: in Pith's home, and beside it in the trash. */
export function keptFolders(
  { id, path }: { readonly id: string; readonly path: string },
  home: string,
): readonly string[] {
  const own = dirname(path);
  return [
    ...(id === "" ? [] : [keptFor(id, home)]),
    ...(dirname(own) === join(home, "trash") ? [join(own, KEPT)] : []),
  ];
}

function keptFor(id: string, home: string): string {
  return join(home, KEPT, sessionIdToFileName(id));
}

const KEPT = "restore";

async function moved(from: string, to: string): Promise<void> {
  if (realFiles.stat(from)?.kind !== "folder" || realFiles.stat(to) !== null) return;
  try {
    await rename(from, to);
  } catch (error) {
    // The session is where it should be; what cannot follow it stays whole in its old place.
    if (diskErrorCode(error) === "") throw error;
  }
}

export async function trashed(call: Call): Promise<Outcome> {
  const meanings = await Promise.all(call.arguments.map((word) => meantToWrite(word, call)));
  const found = new Map<string, string>();
  for (const meaning of meanings) {
    // All or none: one mistyped id must not leave half of the work done.
    if (meaning.type === "mistake") return meaning;
    found.set(meaning.path, meaning.id);
  }
  if (found.size > 1 && call.flags.yes !== true)
    return mistake(`that would move ${found.size} sessions into the trash; if you mean it, add --yes`);
  const done: Gone[] = [];
  for (const path of found.keys()) {
    const gone = await intoTrash(path, { home: call.home, by: "rm" });
    if (gone.type === "failed") return { ...gone, message: [...done.map(lineOf), gone.message].join("\n") };
    done.push(gone);
  }
  return { type: "shown", text: done.map(lineOf).join("\n"), data: { trashed: done.map(dataOf) } };
}

export interface Gone {
  readonly type: "gone";
  readonly id: string;
  readonly path: string;
  /** Its own in the trash. */
  readonly folder: string;
}

export interface TrashParts {
  /** Pith's home. */
  readonly home: string;
  readonly by: Deletion["by"];
}

export async function intoTrash(
  path: string,
  { home, by }: TrashParts,
): Promise<Gone | { readonly type: "failed"; readonly message: string }> {
  const env = { PITH_HOME: home };
  const read = await looked(path, async ({ header }) => ({ type: "read" as const, id: header.id }));
  const outcome = await trashSession(path, { env });
  if (outcome.type !== "trashed") return { type: "failed", message: whyNot(outcome) };
  const { folder } = outcome;
  const id = read.type === "read" ? read.id : "";
  await keptFilesFollow(id, { home, into: folder });
  const fault = await logged(home, { act: "trashed", id, path, folder, by });
  if (fault !== null) return { type: "failed", message: `${path} is in the trash, but ${fault}` };
  return { type: "gone", id, path, folder };
}

/** The trash knows a session by the name of its file. */
function lineOf({ id, path, folder }: Gone): string {
  const isKnown = id !== "" && isPlainId(id) && basename(path).includes(id);
  return `${path} is in the trash; bring it back with: pith sessions restore ${isKnown ? id.slice(0, 8) : folder}`;
}

function dataOf({ id, path, folder }: Gone): object {
  return { id, path, folder };
}
