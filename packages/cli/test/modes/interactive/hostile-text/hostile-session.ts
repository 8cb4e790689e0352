/** A session in which one text stands wherever somebody's words can stand. */

import { type Entry, MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { story } from "@pith/context/testing";

const WORD = "HOSTILE";

/** Two branches, a label, calls with results, and a result that failed. */
export function hostileEntries(text: string): readonly Entry[] {
  const entries = story(
    ...[
      `user: ${WORD}`,
      `says: ${WORD}`,
      `user: ${WORD}`,
      `calls: read path=${WORD}`,
      `result: ${WORD}`,
      `says: ${WORD}`,
    ],
    ...[
      "moves: e2",
      `user: ${WORD}`,
      `calls: bash command=${WORD}`,
      `fails: ${WORD}`,
      `says: ${WORD}`,
      `labels e3: ${WORD}`,
    ],
  );
  return entries.map((entry) => replaced(entry, text) as Entry);
}

export async function hostileStore(text: string): Promise<Store> {
  const store = MemoryStore.create(nodeRuntime, { cwd: text });
  for (const entry of hostileEntries(text)) await store.append([entry], { expectedLeaf: await store.leaf() });
  return store;
}

function replaced(value: unknown, text: string): unknown {
  if (typeof value === "string") return value.replaceAll(WORD, () => text);
  if (Array.isArray(value)) return value.map((each) => replaced(each, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, text)]));
}
