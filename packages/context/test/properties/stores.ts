/** Opens stores for random sessions: in memory, in a file on a disk that fails when a test wants it, and in a file on the real disk. */

import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Files, realFiles } from "../../src/node/files.ts";
import type { JsonlStore } from "../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenOptions, type OpenResult, openStore } from "../../src/node/jsonl/open-store.ts";
import type { LeaseOwner, ProcessTable } from "../../src/node/lease.ts";
import type { Runtime } from "../../src/runtime.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import type { Store } from "../../src/session/store.ts";
import { FaultyFiles } from "../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import type { Command } from "./commands.ts";

export type Fault = Extract<Command, { do: "fault" }>;

export interface Home {
  /** The writer's store. */
  readonly store: Store;
  bytes(): Uint8Array;
  /** The same session as another process finds it now. */
  again(): Promise<Store>;
  /** The process ends, by itself or by a kill that cost the file its last bytes, and another one opens the session. */
  reopen(lost?: number): Promise<void>;
  /** What will go wrong in the next acts; true if this disk knows such faults. */
  plan(fault: Fault): boolean;
  /** Goes on after whatever went wrong. */
  recover(fault: Fault): Promise<void>;
  /** A second writer; null where there are no leases. */
  rival(takeOver: boolean): Promise<OpenResult | null>;
  /** The one that took over is the writer from now on. */
  succeed(newOwner: JsonlStore): void;
  end(): void;
}

export type StoreFactory = (ports: Runtime) => Promise<Home>;

export const inMemory: StoreFactory = async (ports) => {
  let store = MemoryStore.create(ports, { cwd: "/project" });
  return {
    get store() {
      return store;
    },
    bytes: () => store.bytes(),
    again: async () => MemoryStore.open(store.bytes(), ports),
    async reopen(lost = 0) {
      store = MemoryStore.open(store.bytes().slice(0, store.bytes().length - lost), ports);
    },
    plan: () => false,
    recover: async () => undefined,
    rival: async () => null,
    succeed: () => undefined,
    end: () => undefined,
  };
};

export const onFaultyDisk: StoreFactory = async (ports) => {
  const files = new FaultyFiles();
  const path = "/sessions/project/one.jsonl";
  return inFile(
    { files, path, ports },
    {
      bytes: () => files.readBytes(path),
      cut: (size) => files.addFile(path, files.readBytes(path).slice(0, size)),
      die: () => files.restart(),
      plan({ kind, after }) {
        if (kind === "full") files.freeBytes = after * 40;
        else if (kind === "error") files.failAt(after + 1, "EIO");
        else files.crashAt(after + 1);
        return true;
      },
      recover({ kind, seed }) {
        files.clearFaults();
        files.freeBytes = undefined;
        if (kind === "power") files.cutPower(createSeededRandom(seed));
        else files.restart();
      },
      end: () => undefined,
    },
  );
};

export const onRealDisk: StoreFactory = async (ports) => {
  const folder = mkdtempSync(join(tmpdir(), "pith-sequences-"));
  const path = join(folder, "one.jsonl");
  return inFile(
    { files: realFiles, path, ports },
    {
      bytes: () => readFileSync(path),
      cut: (size) => truncateSync(path, size),
      die: () => undefined,
      plan: () => false,
      recover: () => undefined,
      end: () => rmSync(folder, { recursive: true }),
    },
  );
};

interface Disk {
  bytes(): Uint8Array;
  cut(size: number): void;
  die(): void;
  plan(fault: Fault): boolean;
  recover(fault: Fault): void;
  end(): void;
}

async function inFile(place: { files: Files; path: string; ports: Runtime }, disk: Disk): Promise<Home> {
  const { files, path, ports } = place;
  let pid = 1;
  const processes: ProcessTable = { self: (now) => ownerOf(pid, now), isAlive: (owner) => owner.pid === pid };
  const parts: OpenOptions = { files, runtime: ports, processes };
  let store = opened(await createStore(path, { cwd: "/project" }, parts));
  const begin = async (): Promise<void> => {
    pid++;
    disk.die();
    store = opened(await openStore(path, parts));
  };
  return {
    get store() {
      return store;
    },
    bytes: disk.bytes,
    again: async () => opened(await openStore(path, { ...parts, mode: "follower" })),
    async reopen(lost = 0) {
      if (lost > 0) disk.cut(disk.bytes().length - lost);
      else await store.close();
      await begin();
    },
    plan: disk.plan,
    async recover(fault) {
      disk.recover(fault);
      await begin();
    },
    rival: (takeOver) => openStore(path, { ...parts, mode: takeOver ? "takeover" : "writer" }),
    succeed(newOwner) {
      store = newOwner;
    },
    end: disk.end,
  };
}

function ownerOf(pid: number, since: number): LeaseOwner {
  return { pid, started: "", host: "here", machine: "", since };
}

function opened(outcome: OpenResult): JsonlStore {
  if (outcome.type !== "opened") throw new Error(`D1 it cannot be opened: ${JSON.stringify(outcome)}`);
  return outcome.store;
}
