/** A file that takes its name whole: written beside it first, then renamed. Whoever looks, also after a power cut, sees the old one or the new one. */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How the name of a file begins that has not taken its place yet; a crash leaves it behind. */
export const UNFINISHED = ".pith-";

export interface NewFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Done to it while nobody knows its name. */
  readonly prepare?: (file: FileHandle) => Promise<void>;
  /** Done last of all; where it throws, the name is not taken. */
  readonly last?: () => Promise<void>;
}

export async function takePlace(path: string, { last, ...file }: NewFile): Promise<void> {
  const fresh = join(dirname(path), `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  try {
    await writeNew(fresh, file);
    await last?.();
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** For whom not even the new name may be lost. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync().finally(() => folder.close());
}

async function writeNew(path: string, { bytes, mode, prepare }: Omit<NewFile, "last">): Promise<void> {
  // Only where nothing has the name, not even a link.
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(bytes);
    await prepare?.(file);
    // A name that survives a power cut must not lead to bytes that did not.
    await file.datasync();
  } finally {
    await file.close();
  }
}
