/** Sessions into the trash, each with what was kept to restore files; how to bring them back is said at once. */

import { basename } from "node:path";
import { trashSession } from "@pith/context/node";
import { mistake } from "../../../asking/mistake.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { looked, meantToWrite, whyNot } from "../finding/reading.ts";
import { isPlainId } from "../finding/word-for.ts";
import { type Deletion, logged } from "./audit-log.ts";
import { keptFilesFollow } from "./kept-files.ts";

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
