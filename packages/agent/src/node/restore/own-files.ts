/** Files and folders for their owner alone, whatever the umask, and never through a link. */

import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Makes the folder, with those above it, and sweeps what a crash left there; the bytes of what it has. */
export async function ownFolder(path: string): Promise<number> {
  await mkdir(path, { recursive: true, mode: OWNER_FOLDER });
  await withFile(path, constants.O_RDONLY | constants.O_DIRECTORY, (folder) => folder.chmod(OWNER_FOLDER));
  let bytes = 0;
  for (const name of await readdir(path)) {
    if (name.startsWith(UNFINISHED)) await rm(join(path, name), { force: true });
    else bytes += (await lstat(join(path, name))).size;
  }
  return bytes;
}

/** A new file, there whole or not at all. */
export async function ownFile(path: string, bytes: Uint8Array): Promise<void> {
  const fresh = join(dirname(path), `${UNFINISHED}${randomUUID()}`);
  try {
    await withFile(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, async (file) => {
      await file.chmod(OWNER_FILE);
      await file.writeFile(bytes);
      // What it is a copy of is about to be replaced, and that survives a power cut.
      await file.datasync();
    });
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Null where it is no regular file, or larger than that. */
export async function readOwn(path: string, mostBytes: number): Promise<Uint8Array | null> {
  return await withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats: Stats = await file.stat();
    return stats.isFile() && stats.size <= mostBytes ? await file.readFile() : null;
  });
}

async function withFile<Made>(path: string, flags: number, act: (file: FileHandle) => Promise<Made>): Promise<Made> {
  const file = await open(path, flags | constants.O_NOFOLLOW, OWNER_FILE);
  try {
    return await act(file);
  } finally {
    await file.close();
  }
}

const UNFINISHED = ".unfinished-";
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;
