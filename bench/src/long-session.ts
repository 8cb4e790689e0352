/** The long session that several suites measure on, written to a file: 100,000 entries with 50 compactions. */

import { closeSync, openSync, writeSync } from "node:fs";
import { madeUpSession } from "./made-up-session.ts";
import type { Settings } from "./suite.ts";

export const ENTRIES = 100_000;
export const COMPACTIONS = 50;
/** Entries from one compaction to the next; a short session with the same distance has the same context. */
const DISTANCE = Math.floor(ENTRIES / (COMPACTIONS + 1));

/** With fewer compactions it is shorter, and ends in a context of the same size. */
export function writeLongSession(file: string, compactions: number, { seed, corpus, say }: Settings): string {
  const entries = ENTRIES - DISTANCE * (COMPACTIONS - compactions);
  say(`writing a session of ${entries} entries with ${compactions} compactions`);
  const descriptor = openSync(file, "w");
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length > 0) writeSync(descriptor, `${waiting.join("\n")}\n`);
    waiting = [];
  };
  for (const line of madeUpSession({ entries, compactions, distance: DISTANCE, seed, corpus })) {
    if (waiting.push(line) >= 1000) flush();
  }
  flush();
  closeSync(descriptor);
  return file;
}
