/** Files and folders for their owner alone, whatever the umask, and never through a link. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { type NewFile, takePlace } from "./take-place.ts";

/** Makes the folder, with those above it, or closes the one that is there. */
export async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_FOLDER });
  await withFile(path, constants.O_RDONLY | constants.O_DIRECTORY, (folder) => folder.chmod(OWNER_FOLDER));
}

/** There whole or not at all. */
export async function ownFile(path: string, bytes: Uint8Array, act: Pick<NewFile, "last"> = {}): Promise<void> {
  await takePlace(path, { bytes, mode: OWNER_FILE, prepare: (file) => file.chmod(OWNER_FILE), ...act });
}

/** Null where it is no regular file, or larger than that. */
export async function readOwn(path: string, mostBytes: number): Promise<Uint8Array | null> {
  return await withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats: Stats = await file.stat();
    return stats.isFile() && stats.size <= mostBytes ? await file.readFile() : null;
  });
}

async function withFile<Made>(path: string, flags: number, act: (file: FileHandle) => Promise<Made>): Promise<Made> {
  const file = await open(path, flags | constants.O_NOFOLLOW);
  return await act(file).finally(() => file.close());
}

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;
