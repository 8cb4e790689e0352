/** Implements `pith sessions restore` and `pith sessions rebind`. */

import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { refusalNotes } from "@pith/context";
import { diskErrorCode, listTrash, realFiles, rebindSession, restoreSession, type TrashItem } from "@pith/context/node";
import { formatAge, formatBytes } from "@pith/host/text/format";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall, SubcommandResult } from "../../args/subcommand.ts";
import {
  describeOpenFailure,
  findWritableSession,
  formatSessionArgument,
  readSession,
} from "../../sessions/find-session.ts";
import { restoreOriginals } from "../../sessions/trash.ts";

/** Removes the trash folder of a restored session, if only Pith's own notes are left in it. */
async function removeEmptyTrashFolder(folder: string): Promise<void> {
  const dataFolders = realFiles.list(join(folder, ".pith")).map((name) => join(folder, ".pith", name));
  const isEmpty =
    realFiles.list(folder).every((name) => name === "note.json" || name === ".pith") &&
    dataFolders.every((dataFolder) => realFiles.list(dataFolder).every((name) => name.startsWith("writer.")));
  if (!isEmpty) return;
  try {
    await rm(folder, { recursive: true });
  } catch (error) {
    // A leftover empty folder does no harm, so the error is not reported.
    if (diskErrorCode(error) === "") throw error;
  }
}

export async function runRestore({ arguments: [sessionRef], cwd, home }: SubcommandCall): Promise<SubcommandResult> {
  const env = { PITH_HOME: home };
  const trash = await listTrash({ env });
  if (sessionRef === undefined) return createTrashListResult(trash);
  const match = findInTrash(sessionRef, trash, cwd);
  if (match.type === "mistake") return match;
  const { folder } = match.item;
  const result = await restoreSession(folder, { env });
  if (result.type === "taken")
    return { type: "failed", message: `${match.item.from} already exists; move that file, then try again` };
  if (result.type === "none")
    return {
      type: "failed",
      message: `the original location of ${folder} is unknown; copy its .jsonl file to where you want it`,
    };
  if (result.type !== "restored") return { type: "failed", message: describeOpenFailure(result) };
  const { path } = result;
  const readResult = await readSession(path, async ({ header }) => ({ type: "read" as const, id: header.id }));
  if (readResult.type === "read") await restoreOriginals(readResult.id, { home, from: folder });
  await removeEmptyTrashFolder(folder);
  const { id } = match.item;
  return {
    type: "success",
    text: `Restored ${path}. Continue with: pith -p --session ${formatSessionArgument({ id, path }, home)} "…"`,
    data: { id, path },
  };
}

type TrashMatch = { readonly type: "found"; readonly item: TrashItem } | UsageError;

function findInTrash(sessionRef: string, trash: readonly TrashItem[], cwd: string): TrashMatch {
  const matches = trash.filter(({ id, folder }) =>
    sessionRef === "last"
      ? true
      : sessionRef !== "" && (id.startsWith(sessionRef) || folder === resolve(cwd, sessionRef)),
  );
  const [first, second] = matches;
  if (!first) return usageError(`no session "${sessionRef}" in the trash; pith sessions restore lists what is there`);
  if (sessionRef === "last" || !second) return { type: "found", item: first };
  const folders = matches.slice(0, MAX_CANDIDATES).map(({ folder }) => `\n  ${folder}`);
  return usageError(
    `"${sessionRef}" matches ${matches.length} sessions in the trash; specify one by its folder:${folders.join("")}`,
  );
}

const MAX_CANDIDATES = 5;

function createTrashListResult(trash: readonly TrashItem[]): SubcommandResult {
  const now = Date.now();
  const lines = trash.map(({ id, trashed, size, from }) => {
    const age = trashed === "" ? "?" : formatAge(now - Date.parse(trashed));
    return `${id.slice(0, 8).padEnd(8)}  ${age.padStart(6)}  ${formatBytes(size).padStart(8)}  ${escapeLineBreaks(from ?? "(original location unknown)")}`;
  });
  const text = lines.length === 0 ? "The trash is empty." : lines.join("\n");
  return { type: "success", text, data: { trash } };
}

export async function runRebind(call: SubcommandCall): Promise<SubcommandResult> {
  const {
    arguments: [sessionRef = "", folderArgument = ""],
    cwd,
    home,
  } = call;
  const folder = resolve(cwd, folderArgument);
  // The folder must exist: with a typing error the session would move to a place where the user does not find it.
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return usageError(`${folder} is not a folder; specify the folder that the session belongs to`);
  const match = await findWritableSession(sessionRef, call);
  if (match.type === "mistake") return match;
  const result = await rebindSession(match.path, folder, { env: { PITH_HOME: home } });
  switch (result.type) {
    case "rebound":
      return {
        type: "success",
        text: `The session now belongs to ${folder} and is stored in ${result.path}`,
        data: { path: result.path, cwd: folder },
      };
    case "refused":
      return { type: "failed", message: refusalNotes[result.why] };
    case "leaf-moved":
      return { type: "failed", message: "another process is writing to this session; stop it first" };
    case "taken":
    case "held":
    case "unavailable":
      return { type: "failed", message: describeOpenFailure(result) };
  }
}
