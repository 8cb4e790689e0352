/** Generates a short random history of a session file from a seed, and records all acknowledged appends. */

import { vi } from "vitest";
import { type Entry, MOVE_TYPE } from "../../../src/entry.ts";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import type { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import type { RandomSource } from "../../support/seeded-random.ts";
import { noteEntries, type ProcessSimulation } from "./simulate-processes.ts";

export interface FileHistory {
  readonly files: FaultyFiles;
  readonly path: string;
  readonly simulation: ProcessSimulation;
  readonly durability: Durability;
  /** In the order they were written; begins with what an old file holds. */
  readonly acknowledged: Entry[];
  /** How many of them must survive a power cut. */
  safe: number;
  /** Whether the file is there for good. */
  created: boolean;
  /** Handed in, and not answered yet. */
  pending: readonly Entry[];
  ids: number;
}

/** Ends by itself, or with the crash that somebody planned. */
export async function runHistory(history: FileHistory, acts: number, chance: RandomSource): Promise<void> {
  let store = await sitDown(history);
  for (let act = 0; act < acts; act++) store = await pick(ways, chance)({ history, store, chance });
  if (chance() < 0.5) await stoodUp({ history, store, chance });
}

interface Moment {
  readonly history: FileHistory;
  readonly store: JsonlStore;
  readonly chance: RandomSource;
}

const ways: readonly ((moment: Moment) => Promise<JsonlStore>)[] = [
  (moment) => added(moment, 1),
  (moment) => added(moment, 1),
  (moment) => added(moment, 1),
  (moment) => added(moment, 2 + Math.floor(moment.chance() * 3)),
  moved,
  synced,
  timePassed,
  reopened,
];

async function sitDown(history: FileHistory): Promise<JsonlStore> {
  const { files, path, simulation, durability } = history;
  const there = files.listPaths().includes(path);
  const store = there ? await simulation.open(path, { durability }) : await simulation.create(path, { durability });
  history.created = true;
  return store;
}

async function added({ history, store }: Moment, count: number): Promise<JsonlStore> {
  const ids = Array.from({ length: count }, () => `n${++history.ids}`);
  return write(history, store, noteEntries(await store.leaf(), ids));
}

async function moved({ history, store, chance }: Moment): Promise<JsonlStore> {
  const [entry] = noteEntries(history.acknowledged[Math.floor(chance() * history.acknowledged.length)]?.id ?? null, [
    `n${++history.ids}`,
  ]);
  return entry?.type === "custom" ? write(history, store, [{ ...entry, customType: MOVE_TYPE }]) : store;
}

async function write(history: FileHistory, store: JsonlStore, batch: readonly Entry[]): Promise<JsonlStore> {
  history.pending = batch;
  const done = await store.append(batch, { expectedLeaf: await store.leaf() });
  if (done.type !== "appended") throw new Error(`a history that nothing disturbs was told ${JSON.stringify(done)}`);
  history.acknowledged.push(...batch);
  history.pending = [];
  if (history.durability === "durable") history.safe = history.acknowledged.length;
  return store;
}

async function synced({ history, store }: Moment): Promise<JsonlStore> {
  if (await store.sync()) history.safe = history.acknowledged.length;
  return store;
}

async function timePassed({ history, store }: Moment): Promise<JsonlStore> {
  vi.advanceTimersByTime(1000);
  history.safe = history.acknowledged.length;
  return store;
}

async function stoodUp({ history, store }: Moment): Promise<void> {
  await store.close();
  history.safe = history.acknowledged.length;
}

async function reopened(moment: Moment): Promise<JsonlStore> {
  await stoodUp(moment);
  return sitDown(moment.history);
}

function pick<Thing>(things: readonly Thing[], chance: RandomSource): Thing {
  const thing = things[Math.floor(chance() * things.length)];
  if (thing === undefined) throw new Error("chance is 1");
  return thing;
}
