/** Lets one program at a time work on a file, by a lock file beside it. A lock whose owner died is broken after about three seconds. */

import { randomUUID } from "node:crypto";
import { link, open, rename, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "./safe-files.ts";

const PAUSE = 20;
/** So many pauses nobody needs who holds it: about three seconds. */
const STALE_AFTER = 150;
const MOST_PAUSES = 500;

/** `isOurTurn` says whether it still is: whoever slept long enough has lost it. */
export async function inOrder<Outcome>(
  path: string,
  act: (isOurTurn: () => Promise<boolean>) => Promise<Outcome>,
): Promise<Outcome> {
  const lock = `${path}.lock`;
  const own = await take(lock);
  const isOurTurn = async (): Promise<boolean> => (await identity(lock)) === own;
  try {
    return await act(isOurTurn);
  } finally {
    if (await isOurTurn()) await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<string> {
  let [owner, seen] = ["", 0];
  for (let pause = 0; pause < MOST_PAUSES; pause += 1) {
    const own = await created(lock);
    if (own !== null) return own;
    const now = await identity(lock);
    // Whether it is old is told by watching it: the clocks of disks differ.
    seen = now === owner ? seen + 1 : 0;
    owner = now ?? "";
    if (owner !== "" && seen >= STALE_AFTER) await breakLock(lock, owner);
    else await setTimeout(PAUSE);
  }
  throw new Error(`${lock} is held by other programs all the time`);
}

async function created(lock: string): Promise<string | null> {
  try {
    const file = await open(lock, "wx", 0o600);
    return await file
      .stat()
      .then(identityOf)
      .finally(() => file.close());
  } catch (error) {
    if (codeOf(error) === "EEXIST") return null;
    throw error;
  }
}

// Another may have broken it just before and taken it anew; that one is put back.
async function breakLock(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await identity(aside)) !== stale) await link(aside, lock);
  } catch (error) {
    // Gone or taken meanwhile: then somebody else is on it.
    if (!["ENOENT", "EEXIST"].includes(codeOf(error))) throw error;
  }
  await rm(aside, { force: true });
}

async function identity(path: string): Promise<string | null> {
  try {
    return identityOf(await stat(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

// The number of a file is given to the next one as soon as it is free; its time is not.
function identityOf({
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
