/** Creates the session of the documents' samples through the public API: long enough to be compacted. */

import { type Budget, compactionLimits, createBudget, MemoryStore, type Runtime, Session } from "../../src/index.ts";
import { story, testRuntime } from "../../src/testing/index.ts";

export interface Sample {
  readonly session: Session;
  readonly budget: Budget;
  readonly runtime: Runtime;
}

const report = Array.from({ length: 400 }, (_, at) => `line ${at} of the report`).join("\n");

/** Entries e1 to e6. The budget keeps the last two, so a compaction covers the first four. */
export const sampleLines: readonly string[] = [
  "user: read the schema",
  "calls: read path=schema.sql",
  `result: ${report}`,
  "says: there are nine tables",
  "user: add an index",
  "says: on which column?",
];

export async function createSample(...lines: readonly string[]): Promise<Sample> {
  const ports = testRuntime("n");
  const store = MemoryStore.create(ports);
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  const budget = createBudget({ ...compactionLimits, tail: { tokens: 30, share: 1 } }, { contextWindow: 200_000 });
  return { session: await Session.open(store, ports), budget, runtime: ports };
}
