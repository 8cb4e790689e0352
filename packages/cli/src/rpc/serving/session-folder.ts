/** Where to work with a session that is gone on with: in its own folder, as its words and its files belong there. */

import { stat } from "node:fs/promises";
import { cwdOf, realFiles } from "@pith/context/node";
import { looked } from "../../subcommands/sessions/finding/reading.ts";

export type SessionFolder =
  | { readonly type: "found"; readonly cwd: string }
  | { readonly type: "failed"; readonly message: string };

export async function folderOf(path: string): Promise<SessionFolder> {
  const cwd = await looked(path, async ({ header }) => cwdOf(path, header, realFiles));
  if (typeof cwd !== "string") return { type: "failed", message: cwd.message };
  if (await isFolder(cwd)) return { type: "found", cwd };
  const message = `the folder of this session is gone: ${cwd}; start Pith where it shall go on, with --session`;
  return { type: "failed", message };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // Not there, or closed to us: nobody can work in it.
  );
}
