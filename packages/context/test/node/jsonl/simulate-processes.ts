/** Simulates processes that open the same session file one after another. */

import type { Entry } from "../../../src/entry.ts";
import type { Files } from "../../../src/node/files.ts";
import type { JsonlStore, StoreOptions } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenOptions, type OpenResult, openStore } from "../../../src/node/jsonl/open-store.ts";
import type { LeaseOwner } from "../../../src/node/lease.ts";
import type { Store } from "../../../src/session/store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";

type Parts = Partial<StoreOptions>;

export interface ProcessSimulation {
  readonly parts: Parts;
  /** Ends the current process; its lease is free. */
  endProcess(): void;
  create(path: string, more?: Parts): Promise<JsonlStore>;
  open(path: string, more?: Parts & Pick<OpenOptions, "mode">): Promise<JsonlStore>;
}

export function simulateProcesses(files: Files): ProcessSimulation {
  let pid = 1;
  const parts: Parts = {
    files,
    runtime: testRuntime(),
    processes: { self: () => createOwner(pid), isAlive: (owner) => owner.pid === pid },
  };
  return {
    parts,
    endProcess: () => void pid++,
    create: async (path, more) => requireStore(await createStore(path, { cwd: "/project" }, { ...parts, ...more })),
    open: async (path, more) => requireStore(await openStore(path, { ...parts, ...more })),
  };
}

export function requireStore(opened: OpenResult): JsonlStore {
  if (opened.type !== "opened") throw new Error(JSON.stringify(opened));
  return opened.store;
}

/** Appends after the current leaf and returns the result. */
export async function append(store: Store, ...ids: readonly string[]): Promise<string> {
  const expectedLeaf = await store.leaf();
  const done = await store.append(noteEntries(expectedLeaf, ids), { expectedLeaf });
  return done.type === "refused" ? done.why : done.type;
}

/** Short entries, each the child of the one before. */
export function noteEntries(parentId: string | null, ids: readonly string[]): readonly Entry[] {
  return ids.map((id, at) => ({
    type: "custom",
    id,
    parentId: at === 0 ? parentId : (ids[at - 1] ?? null),
    timestamp: "2026-01-01T00:00:01.000Z",
    customType: "n",
  }));
}

export async function branchIds(store: Store): Promise<readonly string[]> {
  return (await store.branchEntries(await store.leaf())).map(({ id }) => id);
}

function createOwner(pid: number): LeaseOwner {
  return { pid, started: "1", host: "here", machine: "", since: 0 };
}
