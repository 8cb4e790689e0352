/** The folder of a session in the trash, once the session is back: gone, if nothing but our own notes is left in it. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { diskError, realFiles } from "@pith/context/node";

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
    if (diskError(error) === "") throw error;
  }
}
