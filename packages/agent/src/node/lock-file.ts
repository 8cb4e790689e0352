/** Lets one program at a time work on a file, by a lock file beside it. A lock whose owner died is broken after about three seconds. */

import { randomUUID } from "node:crypto";
import { link, open, rename, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "./safe-files.ts";

const PAUSE_MS = 20;
/** So many pauses nobody needs who holds it: about three seconds. */
const STALE_AFTER_PAUSES = 150;
const MAX_PAUSES = 500;

/** `isOurTurn` says whether it still is: whoever slept long enough has lost it. */
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
    // Whether it is old is told by watching it: the clocks of disks differ.
    unchangedPauses = identity === lastIdentity ? unchangedPauses + 1 : 0;
    lastIdentity = identity ?? "";
    if (lastIdentity !== "" && unchangedPauses >= STALE_AFTER_PAUSES) await breakLock(lockPath, lastIdentity);
    else await setTimeout(PAUSE_MS);
  }
  throw new Error(`${lockPath} is held by other programs all the time`);
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

// Another may have broken it just before and taken it anew; that one is put back.
async function breakLock(lockPath: string, staleIdentity: string): Promise<void> {
  const asidePath = `${lockPath}.${randomUUID()}`;
  try {
    await rename(lockPath, asidePath);
    if ((await readFileIdentity(asidePath)) !== staleIdentity) await link(asidePath, lockPath);
  } catch (error) {
    // Gone or taken meanwhile: then somebody else is on it.
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

// The number of a file is given to the next one as soon as it is free; its time is not.
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
