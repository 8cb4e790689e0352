/** Puts one setting into the user's own file, whole or not at all; comments and all else stay as they were written. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { withValue } from "./commented-json/with-value.ts";
import { settingsFile } from "./read-settings.ts";

export interface SettingToSave {
  /** Such as `["compaction", "enabled"]`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** Pith's home. */
  readonly home: string;
}

/** Null where it is kept. */
export async function saveSetting({ path, value, home }: SettingToSave): Promise<Mistake | null> {
  const file = settingsFile(home);
  const next = `${file}.${process.pid}.new`;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const text = withValue(await textOf(file), path, value);
    if (text === null) return mistake(`${file} is no object of settings, so ${path.join(".")} was not written into it`);
    await writeFile(next, text, { mode: 0o600, flag: "wx" });
    await rename(next, file);
    return null;
  } catch (error) {
    await rm(next, { force: true });
    return mistake(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "for an unknown reason"}`);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
