/** A file for its owner alone, replaced whole: after a power cut it is the old one or the new one. */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

export interface Replacing {
  readonly text: string;
  /** Asked last of all, before the name is taken. */
  readonly isOurTurn: () => Promise<boolean>;
}

export async function replaceFile(path: string, { text, isOurTurn }: Replacing): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  try {
    await writeNew(fresh, text);
    if (!(await isOurTurn())) throw new Error("another program took our turn; try again");
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

async function writeNew(path: string, text: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
  try {
    // Whatever the umask left of it.
    await file.chmod(OWNER_ONLY);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const OWNER_ONLY = 0o600;

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync().finally(() => folder.close());
}
