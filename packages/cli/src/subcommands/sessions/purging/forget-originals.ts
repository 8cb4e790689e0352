/** What was kept to put files back has their true bytes, secrets included; what holds one is removed, and cannot be put back any more. */

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redaction } from "@pith/context";
import { keptFolders } from "../trashing/kept-files.ts";
import type { MeantSession } from "./meant-sessions.ts";

export interface Forgetting {
  /** Pith's home. */
  readonly home: string;
  readonly redaction: Redaction;
  readonly isDry: boolean;
}

/** How many. */
export async function forgetOriginals(session: MeantSession, forgetting: Forgetting): Promise<number> {
  let count = 0;
  for (const folder of keptFolders(session, forgetting.home)) count += await forgottenIn(folder, forgetting);
  return count;
}

async function forgottenIn(folder: string, { redaction, isDry }: Forgetting): Promise<number> {
  // No folder: nothing was ever changed there.
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = 0;
  for (const each of found.filter((one) => one.isFile())) {
    const path = join(folder, each.name);
    const text = await readFile(path, "utf8");
    if (redaction.redacted(text) === text) continue;
    count += 1;
    if (!isDry) await rm(path);
  }
  return count;
}
