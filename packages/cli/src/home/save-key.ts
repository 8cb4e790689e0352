/** Puts a key into the user's file of keys: beside what stands there, whole or not at all, and readable by nobody else at any moment. */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { readKeyFile } from "./key-file.ts";
import { keyFile } from "./keys.ts";

export interface KeyToSave {
  /** The provider's id. */
  readonly provider: string;
  readonly key: string;
  /** Pith's home. */
  readonly home: string;
}

/** Null where it is kept. A file that is not believed is not written, either. */
export async function saveKey({ provider, key, home }: KeyToSave): Promise<Mistake | null> {
  const file = keyFile(home);
  const read = await readKeyFile(file);
  if (read.type === "mistake") return read;
  const text = `${JSON.stringify({ ...read.keys, [provider]: key }, null, 2)}\n`;
  const next = `${file}.${process.pid}.new`;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(next, text, { mode: 0o600, flag: "wx" });
    await rename(next, file);
    return null;
  } catch (error) {
    await rm(next, { force: true });
    return mistake(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "for an unknown reason"}`);
  }
}
