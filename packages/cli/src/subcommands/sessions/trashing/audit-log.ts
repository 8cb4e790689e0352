/** What went into the trash and out of it for good, one line each, beside it: `trash/log.jsonl` in Pith's home. */

import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskError } from "@pith/context/node";

export interface Deletion {
  /** Into the trash, or out of it for good. */
  readonly act: "trashed" | "removed";
  readonly id: string;
  /** Where it lay before; null where nobody knows. */
  readonly path: string | null;
  /** Its own in the trash. */
  readonly folder: string;
  /** The subcommand that did it. */
  readonly by: "rm" | "prune";
}

/** What stood in the way; null where it is noted. */
export async function logged(home: string, deletion: Deletion): Promise<string | null> {
  try {
    await noted(home, deletion);
    return null;
  } catch (error) {
    const code = diskError(error);
    if (code === "") throw error;
    return `it cannot be noted in ${logFile(home)}: the disk gave ${code}`;
  }
}

function logFile(home: string): string {
  return join(home, "trash", "log.jsonl");
}

async function noted(home: string, deletion: Deletion): Promise<void> {
  await mkdir(dirname(logFile(home)), { recursive: true, mode: 0o700 });
  const file = await open(logFile(home), APPEND, 0o600);
  try {
    await file.write(`${JSON.stringify({ time: new Date().toISOString(), ...deletion })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
