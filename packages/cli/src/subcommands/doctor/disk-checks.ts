/** Room on the disk, and whether SQLite can search texts. */

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesTold } from "../../printing/amounts.ts";
import type { Call } from "../subcommand.ts";
import { type Check, fault, ok, warning } from "./check.ts";

export async function diskChecks({ home }: Call): Promise<readonly Check[]> {
  return [await spaceCheck(home), await sqliteCheck()];
}

async function spaceCheck(home: string): Promise<Check> {
  const free = await freeBytes(home);
  if (free === null) return warning("disk", "nobody says how much room there is", "look at it with: df -h");
  const says = `${bytesTold(free)} free`;
  if (free < LEAST) return fault("disk", says, "free some space: nothing can be kept soon");
  return free < ENOUGH ? warning("disk", says, "free some space, or look at: pith sessions stats") : ok("disk", says);
}

/** Of the home, or of where it will be. */
async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    // Not made yet: the folder above it lies on the same disk.
    return dirname(path) === path ? null : await freeBytes(dirname(path));
  }
}

const LEAST = 64 * 1024 * 1024;
const ENOUGH = 1024 * 1024 * 1024;

async function sqliteCheck(): Promise<Check> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE words USING fts5(text)");
    database.close();
    return ok("SQLite", "with full-text search (FTS5)");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return warning("SQLite", `no full-text search: ${why}`, "pith sessions search needs a Node with SQLite and FTS5");
  }
}
