/** Tests that a file cut at any byte continues: intact lines stay, torn bytes are saved, the next entry is kept. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../../src/context/build-context.ts";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import type { Store } from "../../../src/session/store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { bytesOf, chain, file, joined, piHeader } from "../../format/specimen.ts";
import { isLong } from "../../support/test-length.ts";
import { type Disk, disks, expectBytes, memoryDisk } from "./disks.ts";
import { append, branchIds, simulateProcesses } from "./simulate-processes.ts";
import { damageText } from "./store-contents.ts";

test.each(disks)("LOG14 D3 a session continues after a cut at any byte, on a disk that is %s", async (_, disk) =>
  expectToGoOnEverywhere(disk, await written("durable")),
);

test("D3 a session of pi continues after a cut at any byte", () =>
  expectToGoOnEverywhere(memoryDisk, file(piHeader, chain(3))));

test("D3 an unsynced session continues after a cut at any byte", async () =>
  expectToGoOnEverywhere(memoryDisk, await written("fast")));

test("LOG14 D3 a second torn end is saved after the first", async () => {
  const { files, path, ...disk } = memoryDisk();
  const bytes = await written("durable");
  const simulation = simulateProcesses(files);
  disk.put(path, bytes.subarray(0, -10));
  const first = await simulation.open(path);
  await append(first, "one");
  await first.close();
  const aside = disk.bytes(`${path}.damaged`);
  const torn = bytesOf('{"type":"x');
  disk.put(path, joined(disk.bytes(path), torn));
  const second = await simulation.open(path);
  expect(await append(second, "two")).toBe("appended");
  expectBytes(disk.bytes(`${path}.damaged`), joined(aside, torn));
});

/** Six entries: two alone, three at once, one that follows an earlier one. */
const entries = story("user: a", "names: b", "names: c", "thinking: d", "names: e", "moves: e2");

async function written(durability: Durability): Promise<Uint8Array> {
  const { files, path } = memoryDisk();
  const store = await simulateProcesses(files).create(path, { durability });
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 5],
    [5, 6],
  ] as const)
    expect(await store.append(entries.slice(from, to), { expectedLeaf: await store.leaf() })).toMatchObject({
      type: "appended",
    });
  return files.readBytes(path);
}

async function expectToGoOnEverywhere(disk: () => Disk, bytes: Uint8Array): Promise<void> {
  let testDisk = disk();
  const step = isLong ? 1 : 7;
  for (let length = Math.floor(Math.random() * step); length <= bytes.length; length += step) {
    if (length % 50 < step) testDisk = disk();
    await expectToGoOn(testDisk, bytes.subarray(0, length), bytes.indexOf(0x0a));
  }
}

async function expectToGoOn(disk: Disk, bytes: Uint8Array, headerEnd: number): Promise<void> {
  const { files, path } = disk;
  // The file too: one that is made empty to be written anew waits for the disk when it is closed.
  for (const old of [path, `${path}.damaged`, `${path}.bak`]) if (disk.has(old)) files.remove(old);
  disk.put(path, bytes);
  const simulation = simulateProcesses(files);
  const reference = MemoryStore.open(bytes, testRuntime());

  const follower = await simulation.open(path, { mode: "follower" });
  await expectSame(follower, reference);
  await follower.close();
  const writer = await simulation.open(path);
  await expectSame(writer, reference);
  expectBytes(disk.bytes(path), bytes);

  const before = await branchIds(writer);
  expect(await append(writer, "new")).toBe("appended");
  expect(await branchIds(writer)).toEqual([...before, "new"]);
  expectAside(disk, bytes, headerEnd);
  await writer.close();

  const again = await simulation.open(path);
  expect(await branchIds(again)).toEqual([...before, "new"]);
  expect(damageText(await again.check())).toBe("");
  await again.close();
}

async function expectSame(store: JsonlStore, reference: MemoryStore): Promise<void> {
  expect(damageText(store.damage)).toBe(damageText(reference.damage));
  expect(await contextOf(store)).toEqual(await contextOf(reference));
  expect(await branchIds(store)).toEqual(await branchIds(reference));
}

async function contextOf(store: Store): Promise<unknown> {
  return buildSessionContext(await store.loadBranch(await store.leaf()));
}

// A header that was cut is no torn line: the file is written anew, and the old one kept whole.
function expectAside(disk: Disk, bytes: Uint8Array, headerEnd: number): void {
  const damaged = `${disk.path}.damaged`;
  const reference = MemoryStore.open(bytes, testRuntime());
  if (bytes.length < headerEnd) {
    expectBytes(disk.bytes(`${disk.path}.bak`), bytes);
    return;
  }
  const torn = reference.damage[0];
  if (!torn) expect(disk.has(damaged)).toBe(false);
  else expectBytes(disk.bytes(damaged), bytes.subarray(torn.offset));
}
