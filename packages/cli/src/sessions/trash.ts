/** Moves sessions and the originals of the files they changed to the trash, restores the originals, and logs each deletion. */

import { constants } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskErrorCode, findSession, realFiles, sessionIdToFileName, trashSession } from "@pith/context/node";
import type { HostContext } from "@pith/host/host-context";
import { usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { describeOpenFailure, findWritableSession, isPlainId, readSession } from "./find-session.ts";

export interface Deletion {
  /** Moved to the trash, or removed from it permanently. */
  readonly act: "trashed" | "removed";
  readonly id: string;
  /** The path before the deletion. Null if it is not known. */
  readonly path: string | null;
  /** The session's folder in the trash. */
  readonly folder: string;
  /** The subcommand that deleted it. */
  readonly by: "rm" | "prune";
}

/** Returns an error message, or null on success. */
export async function logDeletion(home: string, deletion: Deletion): Promise<string | null> {
  try {
    await appendToLog(home, deletion);
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return `the deletion cannot be logged in ${logFile(home)}: ${code}`;
  }
}

function logFile(home: string): string {
  return join(home, "trash", "log.jsonl");
}

async function appendToLog(home: string, deletion: Deletion): Promise<void> {
  await mkdir(dirname(logFile(home)), { recursive: true, mode: 0o700 });
  const file = await open(logFile(home), APPEND_FLAGS, 0o600);
  try {
    await file.write(`${JSON.stringify({ time: new Date().toISOString(), ...deletion })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Does not move the originals if another session still has the same id, e.g. a copy made by hand. */
async function moveOriginalsToTrash(
  id: string,
  { home, into }: { readonly home: string; readonly into: string },
): Promise<void> {
  // The id of an unreadable session is not known.
  if (id === "") return;
  const remaining = await findSession(id, { env: { PITH_HOME: home } });
  if (remaining.type === "none") await moveFolder(getOriginalsFolder(id, home), join(into, ORIGINALS_FOLDER));
}

export async function restoreOriginals(
  id: string,
  { home, from }: { readonly home: string; readonly from: string },
): Promise<void> {
  await moveFolder(join(from, ORIGINALS_FOLDER), getOriginalsFolder(id, home));
}

/** Lists the possible folders of a session's originals: in Pith's home, and next to the session in the trash. */
export function listOriginalsFolders(
  { id, path }: { readonly id: string; readonly path: string },
  home: string,
): readonly string[] {
  const sessionFolder = dirname(path);
  return [
    ...(id === "" ? [] : [getOriginalsFolder(id, home)]),
    ...(dirname(sessionFolder) === join(home, "trash") ? [join(sessionFolder, ORIGINALS_FOLDER)] : []),
  ];
}

function getOriginalsFolder(id: string, home: string): string {
  return join(home, ORIGINALS_FOLDER, sessionIdToFileName(id));
}

const ORIGINALS_FOLDER = "restore";

async function moveFolder(from: string, to: string): Promise<void> {
  if (realFiles.stat(from)?.kind !== "folder" || realFiles.stat(to) !== null) return;
  try {
    await rename(from, to);
  } catch (error) {
    // The session itself has been moved. Originals that cannot be moved stay complete in their old folder.
    if (diskErrorCode(error) === "") throw error;
  }
}

export async function trashSessions(call: SubcommandCall): Promise<SubcommandResult> {
  const findResults = await Promise.all(call.arguments.map((reference) => findWritableSession(reference, call)));
  const idsByPath = new Map<string, string>();
  for (const findResult of findResults) {
    // One misspelled id must not leave the work half done.
    if (findResult.type === "mistake") return findResult;
    idsByPath.set(findResult.path, findResult.id);
  }
  if (idsByPath.size > 1 && call.flags.yes !== true)
    return usageError(`this would move ${idsByPath.size} sessions to the trash; add --yes to confirm`);
  const trashedSessions: TrashedSession[] = [];
  for (const path of idsByPath.keys()) {
    const outcome = await moveToTrash(path, { home: call.home, by: "rm" });
    if (outcome.type === "failed")
      return { ...outcome, message: [...trashedSessions.map(formatTrashed), outcome.message].join("\n") };
    trashedSessions.push(outcome);
  }
  return {
    type: "success",
    text: trashedSessions.map(formatTrashed).join("\n"),
    data: { trashed: trashedSessions.map(({ id, path, folder }) => ({ id, path, folder })) },
  };
}

export interface TrashedSession {
  readonly type: "trashed";
  readonly id: string;
  readonly path: string;
  /** The session's folder in the trash. */
  readonly folder: string;
}

export async function moveToTrash(
  path: string,
  { home, by }: Pick<HostContext, "home"> & { readonly by: Deletion["by"] },
): Promise<TrashedSession | { readonly type: "failed"; readonly message: string }> {
  const env = { PITH_HOME: home };
  const result = await readSession(path, async ({ header }) => ({ type: "read" as const, id: header.id }));
  const outcome = await trashSession(path, { env });
  if (outcome.type !== "trashed") return { type: "failed", message: describeOpenFailure(outcome) };
  const { folder } = outcome;
  const id = result.type === "read" ? result.id : "";
  await moveOriginalsToTrash(id, { home, into: folder });
  const logError = await logDeletion(home, { act: "trashed", id, path, folder, by });
  if (logError !== null) return { type: "failed", message: `${path} is in the trash, but ${logError}` };
  return { type: "trashed", id, path, folder };
}

/** `restore` finds a session in the trash by its file name, so the id is only suggested if the name contains it. */
function formatTrashed({ id, path, folder }: TrashedSession): string {
  const canRestoreById = id !== "" && isPlainId(id) && basename(path).includes(id);
  return `Moved to the trash: ${path}. Restore it with: pith sessions restore ${canRestoreById ? id.slice(0, 8) : folder}`;
}
