/** Creates a session of some megabytes: branches, batches, compactions, and lines of every size up to that of a read. */

import type { Entry } from "../../../src/entry.ts";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import type { RandomSource } from "../../support/seeded-random.ts";
import { memoryDisk } from "./disks.ts";
import { simulateProcesses } from "./simulate-processes.ts";

export async function createLongSession(
  entries: number,
  chance: RandomSource,
  durability: Durability,
): Promise<Uint8Array> {
  const { files, path, bytes } = memoryDisk();
  const store = await simulateProcesses(files).create(path, { durability });
  const written: Entry[] = [];
  while (written.length < entries) {
    const batch = drawn(written, chance);
    const done = await store.append(batch, { expectedLeaf: await store.leaf() });
    if (done.type !== "appended") throw new Error(JSON.stringify(done));
    written.push(...batch);
    if (chance() < 0.2) await store.sync();
  }
  await store.close();
  return bytes(path);
}

function drawn(written: readonly Entry[], chance: RandomSource): readonly Entry[] {
  const leaf = written.at(-1)?.id ?? null;
  const any = written[Math.floor(chance() * written.length)]?.id ?? null;
  const id = `n${written.length + 1}`;
  const place = { id, parentId: chance() < 0.9 ? leaf : any, timestamp: "2026-01-01T00:00:00.000Z" };
  const fate = chance();
  if (fate < 0.1)
    return [{ type: "compaction", ...place, summary: "s".repeat(size(chance)), firstKeptEntryId: id, tokensBefore: 1 }];
  if (fate < 0.15 && any !== null) return [{ type: "label", ...place, targetId: any, label: "here" }];
  if (fate < 0.2) return [{ type: "thinking_level_change", ...place, thinkingLevel: "high" }];
  const count = fate < 0.4 ? 3 : 1;
  return Array.from({ length: count }, (_, at) => ({
    type: "message",
    ...place,
    id: `n${written.length + 1 + at}`,
    parentId: at === 0 ? place.parentId : `n${written.length + at}`,
    message: { role: "user", content: "ä".repeat(size(chance)), timestamp: 1 },
  }));
}

// Mostly short; now and then longer than what is read at once.
function size(chance: RandomSource): number {
  return Math.floor(chance() < 0.9 ? chance() * 2000 : chance() * 150_000);
}
