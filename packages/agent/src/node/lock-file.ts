/** Lets one process at a time work on a file, with a lock file beside it. A lock whose owner died is broken after about three seconds. */

import { randomUUID } from "node:crypto";
import { link, open, rename, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "./safe-files.ts";

const PAUSE_MS = 20;
/** About three seconds, longer than any owner needs. */
const STALE_AFTER_PAUSES = 150;
const MAX_PAUSES = 500;

/** `holdsLock` checks that the lock is still ours: a process that was suspended for long may have lost it. */
export async function withLock<Outcome>(
  path: string,
  run: (holdsLock: () => Promise<boolean>) => Promise<Outcome>,
): Promise<Outcome> {
  const lockPath = `${path}.lock`;
  const ownIdentity = await acquireLock(lockPath);
  const holdsLock = async (): Promise<boolean> => (await readFileIdentity(lockPath)) === ownIdentity;
  try {
    return await run(holdsLock);
  } finally {
    if (await holdsLock()) await rm(lockPath, { force: true });
  }
}

async function acquireLock(lockPath: string): Promise<string> {
  let [lastIdentity, unchangedPauses] = ["", 0];
  for (let pause = 0; pause < MAX_PAUSES; pause += 1) {
    const ownIdentity = await tryCreateLock(lockPath);
    if (ownIdentity !== null) return ownIdentity;
    const identity = await readFileIdentity(lockPath);
    // The age is measured by polling, not by the file's time: clocks of file systems differ.
    unchangedPauses = identity === lastIdentity ? unchangedPauses + 1 : 0;
    lastIdentity = identity ?? "";
    if (lastIdentity !== "" && unchangedPauses >= STALE_AFTER_PAUSES) await breakLock(lockPath, lastIdentity);
    else await setTimeout(PAUSE_MS);
  }
  throw new Error(`${lockPath} is still locked by another process; try again`);
}

async function tryCreateLock(lockPath: string): Promise<string | null> {
  try {
    const file = await open(lockPath, "wx", 0o600);
    return await file
      .stat()
      .then(toFileIdentity)
      .finally(() => file.close());
  } catch (error) {
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
}

// Another process may have broken the lock and acquired it anew in between; then that lock is put back.
async function breakLock(lockPath: string, staleIdentity: string): Promise<void> {
  const asidePath = `${lockPath}.${randomUUID()}`;
  try {
    await rename(lockPath, asidePath);
    if ((await readFileIdentity(asidePath)) !== staleIdentity) await link(asidePath, lockPath);
  } catch (error) {
    // Released, or acquired by another process.
    if (!["ENOENT", "EEXIST"].includes(errorCode(error))) throw error;
  }
  await rm(asidePath, { force: true });
}

async function readFileIdentity(path: string): Promise<string | null> {
  try {
    return toFileIdentity(await stat(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

// An inode number is reused for the next file; the modification time tells them apart.
function toFileIdentity({
  dev,
  ino,
  mtimeMs,
}: {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
}): string {
  return `${dev}:${ino}:${mtimeMs}`;
}
