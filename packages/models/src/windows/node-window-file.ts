/** What was learnt of windows, in a file of one's own: replaced whole, never half written, readable by nobody else. */

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Learnt } from "./learnt.ts";
import { type LearntWindows, type Remembered, type WindowMemory, withEntry } from "./memory.ts";
import { locked } from "./node-lock.ts";
import { readWindows } from "./read-windows.ts";

export function windowFile(path: string): WindowMemory {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: () => read(path),
    write(key, learnt) {
      const done = last.then(() => change(path, { key, learnt }));
      last = done.catch(() => undefined); // Told to whoever asked for that write; the next one starts afresh.
      return done;
    },
  };
}

async function read(path: string): Promise<Remembered> {
  try {
    const windows = await content(path);
    return windows ? { windows, fault: null } : empty(`${path} is damaged; the windows in it will be learnt again`);
  } catch (cause) {
    return empty(`${path} cannot be read (${(cause as Error).message}); the windows in it will be learnt again`);
  }
}

function empty(fault: string | null): Remembered {
  return { windows: {}, fault };
}

/** Null when it is damaged. One that is there and cannot be read throws, so that it is never written over. */
async function content(path: string): Promise<LearntWindows | null> {
  try {
    return readWindows(await readFile(path, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw cause;
  }
}

// On what is there now: other programs write to the same file.
async function change(path: string, entry: { readonly key: string; readonly learnt: Learnt | null }): Promise<void> {
  await makeFolder(dirname(path));
  await locked(path, async () => replace(path, withEntry((await content(path)) ?? {}, entry)));
}

// Node's own recursive mkdir never ends below /proc, where a folder can neither be found nor made.
async function makeFolder(path: string): Promise<void> {
  const code = await mkdir(path, { mode: 0o700 }).then(
    () => null,
    (cause: NodeJS.ErrnoException) => cause.code,
  );
  if (code !== "ENOENT" || dirname(path) === path) return; // Where it is no folder, the write says so.
  await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
  });
}

async function replace(path: string, windows: object): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  try {
    await writeFile(fresh, `${JSON.stringify(windows, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(fresh, path);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw cause;
  }
}
