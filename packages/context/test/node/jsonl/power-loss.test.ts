/** Tests what a power cut can lose: nothing that was acknowledged as durable, and otherwise only the end. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import { createStore } from "../../../src/node/jsonl/open-store.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { ancestors, buildTree } from "../../../src/tree.ts";
import { chain, file, piHeader } from "../../format/specimen.ts";
import { CrashError } from "../../support/faulty-files/errors.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { isLong } from "../../support/test-length.ts";
import { memoryDisk, RefusingFiles, temporaryFolder } from "./disks.ts";
import { type FileHistory, runHistory } from "./file-history.ts";
import { append, branchIds, requireStore, simulateProcesses } from "./simulate-processes.ts";

/** `PITH_SEED` repeats a run of one life. */
const first = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runCount = Number(process.env.PITH_LIVES ?? (process.env.PITH_SEED ? 1 : isLong ? 600 : 150));

describe("a power cut at a random moment of a random session", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each<Durability>(["durable", "fast"])(
    `D4 a session that is %s keeps every acknowledged entry, and no entry without its predecessors (${runCount} random sessions)`,
    async (durability) => {
      for (let seed = first; seed < first + runCount; seed++)
        await loses(seed, durability).catch((error: unknown) => {
          throw new Error(`PITH_SEED=${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
        });
    },
  );
});

async function loses(seed: number, durability: Durability): Promise<void> {
  const chance = createSeededRandom(seed);
  const history = await createHistory(seed, durability);
  for (let round = 0; round < 2; round++) {
    const acts = 2 + Math.floor(chance() * 6);
    history.files.crashAt(1 + Math.floor(chance() * chance() * 60 * acts));
    await runHistory(history, acts, chance).catch(ifNoCrash);
    history.files.clearFaults();
    history.simulation.endProcess();
    history.files.cutPower(createSeededRandom(seed + round));
    if (!(await isThere(history))) return;
    await expectKept(history);
  }
}

async function createHistory(seed: number, durability: Durability): Promise<FileHistory> {
  const { files, path } = memoryDisk();
  const found = olderFiles[seed % 5];
  if (found) files.addFile(path, found);
  const old = found ? await entriesIn(found) : [];
  return {
    files,
    path,
    simulation: simulateProcesses(files),
    durability,
    acknowledged: old,
    safe: old.length,
    created: found !== undefined,
    pending: [],
    ids: 0,
  };
}

/** One of version 1 and one of version 3, both pi's; other lives begin with a new file. */
const olderFiles: readonly (Uint8Array | undefined)[] = [
  file(
    piHeader.replace('"version":3,', ""),
    chain(3).map((line) => line.replace(/"id":"e\d",|"parentId":(?:"e\d"|null),/g, "")),
  ),
  file(piHeader, chain(3)),
];

async function entriesIn(bytes: Uint8Array): Promise<FileHistory["acknowledged"]> {
  const store = MemoryStore.open(bytes, testRuntime());
  return [...(await store.branchEntries(await store.leaf()))];
}

async function isThere({ files, path, created, simulation }: FileHistory): Promise<boolean> {
  if (files.listPaths().includes(path)) return true;
  expect(created).toBe(false);
  expect(await append(await simulation.create(path), "new")).toBe("appended");
  return false;
}

async function expectKept(history: FileHistory): Promise<void> {
  const { path, simulation, acknowledged, pending, durability, safe } = history;
  const store = await simulation.open(path, { durability });
  const all = [...acknowledged, ...pending];
  const found = await branchIds(store);
  const kept = possibleEnds(history).find((count) => sameIds(found, branchOf(all.slice(0, count))));
  if (kept === undefined)
    expect({ found, safe: branchOf(all.slice(0, safe)), damage: store.damage }).toEqual(branchOf(acknowledged));
  for (const entry of all.slice(0, kept)) expect(await store.entry(entry.id)).toMatchObject(entry);

  const added = `n${++history.ids}`;
  expect(await append(store, added)).toBe("appended");
  expect(await branchIds(store)).toEqual([...found, added]);
  await store.close();
  const again = await simulation.open(path, { mode: "follower" });
  expect(await branchIds(again)).toEqual([...found, added]);
  const entry = await again.entry(added);
  acknowledged.splice(0, acknowledged.length, ...all.slice(0, kept), ...(entry ? [entry] : []));
  history.pending = [];
  history.safe = acknowledged.length;
}

// A batch that nobody was told about is there whole or not at all; only pi's files have no mark that says so.
function possibleEnds({ files, path, acknowledged, pending, safe }: FileHistory): readonly number[] {
  const ours = Buffer.from(files.readBytes(path)).includes('"pith"');
  const whole = acknowledged.length + pending.length;
  const most = ours ? acknowledged.length : whole;
  return [...Array.from({ length: most - safe + 1 }, (_, more) => safe + more), whole];
}

function branchOf(entries: FileHistory["acknowledged"]): readonly string[] {
  return [...ancestors(buildTree(entries), entries.at(-1)?.id ?? null)].map(({ id }) => id).reverse();
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, at) => id === other[at]);
}

function ifNoCrash(error: unknown): void {
  if (!(error instanceof CrashError)) throw error;
}

test("D4 unsynced entries before a torn batch stay", async () => {
  const { files, path, ...disk } = memoryDisk();
  const simulation = simulateProcesses(files);
  const store = await simulation.create(path, { durability: "fast" });
  await append(store, "a");
  await append(store, "b");
  await store.sync();
  await append(store, "c", "d");
  await store.close();
  disk.put(path, disk.bytes(path).subarray(0, -10));
  const again = await simulation.open(path);
  expect(await branchIds(again)).toEqual(["a", "b"]);
  expect(await append(again, "e")).toBe("appended");
  expect(await branchIds(again)).toEqual(["a", "b", "e"]);
});

test("LOG13 D4 an entry that reached the disk before its predecessor is ignored, even if it could follow an earlier one", async () => {
  const { files, path, ...disk } = memoryDisk();
  const simulation = simulateProcesses(files);
  const store = await simulation.create(path, { durability: "fast" });
  await append(store, "a");
  await store.sync();
  const start = disk.bytes(path).length;
  await append(store, "b");
  const end = disk.bytes(path).length;
  await append(store, "c");
  await store.close();
  disk.put(path, disk.bytes(path).fill(0, start, end));
  expect(await branchIds(await simulation.open(path))).toEqual(["a"]);
});

test("DISK1 D4 all fast appends survive after a sync", async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const { files, path } = memoryDisk();
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path, { durability: "fast" });
    await append(store, "a");
    await append(store, "b", "c", "d");
    expect(await store.sync()).toBe(true);
    await append(store, "e");
    files.cutPower(createSeededRandom(seed));
    simulation.endProcess();
    expect((await branchIds(await simulation.open(path))).slice(0, 4)).toEqual(["a", "b", "c", "d"]);
  }
});

test("DISK1 D4 fast appends are synced within a second, several at once", async () => {
  const files = new RefusingFiles();
  const path = `${temporaryFolder()}/s.jsonl`;
  const store = requireStore(
    await createStore(path, { cwd: "/" }, { files, runtime: testRuntime(), durability: "fast" }),
  );
  const acts = (): string =>
    files.log.flatMap((line) => /^(append|sync) (?=.*s\.jsonl$)/.exec(line)?.[1] ?? []).join(" ");
  for (let at = 0; at < 20; at++) await append(store, `n${at}`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(acts()).toMatch(/append sync$/);
  // A machine that is busy may take more than a second for twenty; twenty syncs it would not need.
  expect(
    acts()
      .split(" ")
      .filter((act) => act === "sync").length,
  ).toBeLessThan(5);
  await append(store, "last");
  await store.close();
  expect(acts()).toMatch(/append sync$/);
});
