/** Two real sessions of pi, read in place where they are at hand, and never copied. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entry, MemoryStore } from "@pith/context";
import { machine } from "@pith/context/node";

const folder = join(import.meta.dirname, "../../../../../shared/fixtures/pi-sessions");

export async function realSessions(): Promise<readonly (readonly Entry[])[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(names.sort().map((name) => branchOf(join(folder, name))));
}

async function branchOf(file: string): Promise<readonly Entry[]> {
  const store = MemoryStore.open(readFileSync(file), machine);
  return store.branch(await store.leaf());
}
