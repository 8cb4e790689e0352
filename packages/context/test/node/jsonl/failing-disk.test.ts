/** Tests that nothing is retried after a disk error: the session is read-only until it is opened again. */

import { describe, expect, test } from "vitest";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { bytesOf, chain, file, joined, ourHeader, withTrailers } from "../../format/specimen.ts";
import type { FileOperation } from "../../support/faulty-files/errors.ts";
import { type Disk, disks } from "./disks.ts";
import { append, branchIds, simulateProcesses } from "./simulate-processes.ts";

describe.each(disks)("on a disk that is %s", (_, disk) => {
  test.each<[FileOperation, Durability]>([
    ["append", "durable"],
    ["append", "fast"],
    ["sync", "durable"],
  ])(
    "DISK3 D6 an error in %s makes a %s session read-only, and nothing is synced again",
    async (operation, durability) => {
      const testDisk = disk();
      const { files, path } = testDisk;
      const simulation = simulateProcesses(files);
      const store = await simulation.create(path, { durability });
      expect(await append(store, "a")).toBe("appended");
      await store.sync();
      fail(testDisk, operation);
      expect(await append(store, "b")).toBe("disk-error");
      await expectReadOnly(testDisk, store);
      expect((await branchIds(await simulation.open(path)))[0]).toBe("a");
    },
  );

  test("DISK3 D6 a failed explicit sync makes a fast session read-only", async () => {
    const testDisk = disk();
    const simulation = simulateProcesses(testDisk.files);
    const store = await simulation.create(testDisk.path, { durability: "fast" });
    await append(store, "a");
    fail(testDisk, "sync");
    expect(await store.sync()).toBe(false);
    await expectReadOnly(testDisk, store);
    expect(await append(await simulation.open(testDisk.path), "c")).toBe("appended");
  });

  test("D6 an error while undoing a write makes the session read-only", async () => {
    const testDisk = disk();
    const { files, path } = testDisk;
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path);
    await append(store, "a");
    files.freeBytes = 20;
    fail(testDisk, "truncate");
    expect(await append(store, "b")).toBe("disk-error");
    files.freeBytes = undefined;
    await expectReadOnly(testDisk, store);
    const again = await simulation.open(path);
    expect(await append(again, "c")).toBe("appended");
    expect(await branchIds(again)).toEqual(["a", "c"]);
  });

  test.each<FileOperation>(["create", "append", "sync", "truncate", "syncFolder"])(
    "D6 an error in %s while saving torn bytes makes the session read-only",
    async (operation) => {
      const testDisk = disk();
      const { files, path, put } = testDisk;
      const simulation = simulateProcesses(files);
      put(path, joined(file(withTrailers(ourHeader, ...chain(2))), bytesOf('{"type":"cus')));
      const store = await simulation.open(path);
      fail(testDisk, operation);
      expect(await append(store, "b")).toBe("disk-error");
      await expectReadOnly(testDisk, store);
      const again = await simulation.open(path);
      expect(await append(again, "c")).toBe("appended");
      expect(await branchIds(again)).toEqual(["e1", "e2", "c"]);
    },
  );

  test("D6 an error at any step of opening is reported, and the session can be opened afterwards", async () => {
    for (let step = 1; step <= (await operationsOfOpening(disk())); step++) {
      const { files, path, put } = disk();
      const simulation = simulateProcesses(files);
      put(path, file(withTrailers(ourHeader, ...chain(2))));
      files.failAt(step, "EIO");
      const opened = await openStore(path, simulation.parts);
      const which = `step ${step}, ${files.log.find((line) => line.endsWith("EIO"))}`;
      if (opened.type === "opened") await opened.store.close();
      else expect([which, opened]).toMatchObject([which, { type: "unavailable", code: "EIO" }]);
      const again = await openStore(path, simulation.parts);
      expect([which, again.type]).toEqual([which, "opened"]);
      if (again.type === "opened") expect(await append(again.store, "new")).toBe("appended");
    }
  });
});

async function operationsOfOpening({ files, path, put }: Disk): Promise<number> {
  put(path, file(withTrailers(ourHeader, ...chain(2))));
  const before = files.operations;
  await simulateProcesses(files).open(path);
  return files.operations - before;
}

function fail({ files }: Disk, operation: FileOperation): void {
  files.failEvery("EIO", [operation]);
}

/** The disk is well again, but the session does not trust it. */
async function expectReadOnly({ files }: Disk, store: JsonlStore): Promise<void> {
  files.clearFaults();
  const syncs = (): number => files.log.filter((line) => line.startsWith("sync")).length;
  const before = syncs();
  for (const id of ["x", "y"]) expect(await append(store, id)).toBe("disk-error");
  expect(await store.sync()).toBe(false);
  await store.close();
  expect(syncs()).toBe(before);
  expect(files.log.filter((line) => line.startsWith("sync") && line.endsWith("EIO")).length).toBeLessThan(2);
}
