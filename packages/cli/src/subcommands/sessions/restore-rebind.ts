/** Implements `pith sessions restore` and `pith sessions rebind`. */

import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { refusalNotes } from "@pith/context";
import { diskErrorCode, listTrash, realFiles, rebindSession, restoreSession, type TrashItem } from "@pith/context/node";
import type { Call, Outcome } from "../../args/subcommand.ts";
import { looked, meantToWrite, whyNot, wordFor } from "../../sessions/find-session.ts";
import { keptFilesReturn } from "../../sessions/trash.ts";
import { ageTold, bytesTold } from "../../text/format.ts";
import { oneLine } from "../../text/safe-text.ts";
import { type Mistake, mistake } from "../../text/usage-error.ts";

/** Removes a session's folder in the trash once the session is back, if only our own notes are left in it. */
export async function sweep(folder: string): Promise<void> {
  const sides = realFiles.list(join(folder, ".pith")).map((name) => join(folder, ".pith", name));
  const isBare =
    realFiles.list(folder).every((name) => name === "note.json" || name === ".pith") &&
    sides.every((side) => realFiles.list(side).every((name) => name.startsWith("writer.")));
  if (!isBare) return;
  try {
    await rm(folder, { recursive: true });
  } catch (error) {
    // It is litter: nobody needs to hear of it.
    if (diskErrorCode(error) === "") throw error;
  }
}

export async function restored({ arguments: [word], cwd, home }: Call): Promise<Outcome> {
  const env = { PITH_HOME: home };
  const trash = await listTrash({ env });
  if (word === undefined) return shownTrash(trash);
  const meant = inTrash(word, trash, cwd);
  if (meant.type === "mistake") return meant;
  const { folder } = meant.trashed;
  const outcome = await restoreSession(folder, { env });
  if (outcome.type === "taken")
    return { type: "failed", message: `${meant.trashed.from} is there already; move that file away, then try again` };
  if (outcome.type === "none")
    return {
      type: "failed",
      message: `nobody knows where ${folder} came from; copy the .jsonl file in it to where you want it`,
    };
  if (outcome.type !== "restored") return { type: "failed", message: whyNot(outcome) };
  const { path } = outcome;
  const read = await looked(path, async ({ header }) => ({ type: "read" as const, id: header.id }));
  if (read.type === "read") await keptFilesReturn(read.id, { home, from: folder });
  await sweep(folder);
  const { id } = meant.trashed;
  return {
    type: "shown",
    text: `${path} is back; go on with: pith -p --session ${wordFor({ id, path }, home)} "…"`,
    data: { id, path },
  };
}

type Meant = { readonly type: "meant"; readonly trashed: TrashItem } | Mistake;

function inTrash(word: string, trash: readonly TrashItem[], cwd: string): Meant {
  const fitting = trash.filter(({ id, folder }) =>
    word === "last" ? true : word !== "" && (id.startsWith(word) || folder === resolve(cwd, word)),
  );
  const [first, second] = fitting;
  if (!first) return mistake(`there is no session "${word}" in the trash; pith sessions restore shows what is there`);
  if (word === "last" || !second) return { type: "meant", trashed: first };
  const folders = fitting.slice(0, MOST).map(({ folder }) => `\n  ${folder}`);
  return mistake(
    `"${word}" is the beginning of ${fitting.length} sessions in the trash; name one by its folder:${folders.join("")}`,
  );
}

const MOST = 5;

function shownTrash(trash: readonly TrashItem[]): Outcome {
  const now = Date.now();
  const lines = trash.map(({ id, trashed, size, from }) => {
    const age = trashed === "" ? "?" : ageTold(now - Date.parse(trashed));
    return `${id.slice(0, 8).padEnd(8)}  ${age.padStart(6)}  ${bytesTold(size).padStart(8)}  ${oneLine(from ?? "(nobody knows from where)")}`;
  });
  const text = lines.length === 0 ? "the trash is empty" : lines.join("\n");
  return { type: "shown", text, data: { trash } };
}

export async function rebound(call: Call): Promise<Outcome> {
  const {
    arguments: [word = "", said = ""],
    cwd,
    home,
  } = call;
  const folder = resolve(cwd, said);
  // Only a folder that is there: a mistyped one would hide the session where nobody looks.
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return mistake(`${folder} is no folder; name the one the session belongs to`);
  const found = await meantToWrite(word, call);
  if (found.type === "mistake") return found;
  const outcome = await rebindSession(found.path, folder, { env: { PITH_HOME: home } });
  switch (outcome.type) {
    case "rebound":
      return {
        type: "shown",
        text: `the session belongs to ${folder} now, and lies in ${outcome.path}`,
        data: { path: outcome.path, cwd: folder },
      };
    case "refused":
      return { type: "failed", message: refusalNotes[outcome.why] };
    case "leaf-moved":
      return { type: "failed", message: "another process writes this session; end it first" };
    case "taken":
    case "held":
    case "unavailable":
      return { type: "failed", message: whyNot(outcome) };
  }
}
