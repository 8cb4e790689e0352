/** What was kept of files before they were changed follows its session into the trash and back. */

import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskError, findSession, idAsName, realFiles } from "@pith/context/node";

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
  return join(home, KEPT, idAsName(id));
}

const KEPT = "restore";

async function moved(from: string, to: string): Promise<void> {
  if (realFiles.stat(from)?.kind !== "folder" || realFiles.stat(to) !== null) return;
  try {
    await rename(from, to);
  } catch (error) {
    // The session is where it should be; what cannot follow it stays whole in its old place.
    if (diskError(error) === "") throw error;
  }
}
