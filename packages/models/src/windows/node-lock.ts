/** One writer at a time: a lock file beside the file, across processes; one whose owner died is broken after a while. */

import { rm, stat, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const PAUSE = 20;
/** As many pauses as one writer may take, who needs milliseconds: about three seconds. */
const STALE_AFTER = 150;
const MOST_PAUSES = 500;

export async function locked<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await take(lock);
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  let owner: string | null = null;
  let seen = 0;
  for (let pause = 0; pause < MOST_PAUSES; pause++) {
    if (await isTaken(lock)) return;
    const now = await identity(lock);
    seen = now === owner ? seen + 1 : 0;
    owner = now;
    // Whether it is old is told by watching it: clocks of file systems differ. Two who break it at once may both go on;
    // then one entry is lost and learnt again, and the file stays whole.
    if (owner !== null && seen >= STALE_AFTER) await rm(lock, { force: true });
    else await setTimeout(PAUSE);
  }
  throw new Error(`${lock} is held by other programs all the time`);
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid}\n`, { mode: 0o600, flag: "wx" });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

async function identity(lock: string): Promise<string | null> {
  try {
    const { ino, mtimeMs } = await stat(lock);
    return `${ino} ${mtimeMs}`;
  } catch {
    return null; // Given back in this moment.
  }
}
