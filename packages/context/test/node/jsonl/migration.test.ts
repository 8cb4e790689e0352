/** Tests that a migration is done completely or not at all, whatever interrupts it, and that the old file is kept. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskErrorCode } from "../../../src/node/files.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { bytesOf } from "../../format/specimen.ts";
import { CrashError } from "../../support/faulty-files/errors.ts";
import type { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { type Disk, disks, expectBytes, memoryDisk } from "./disks.ts";
import {
  append,
  branchIds,
  noteEntries,
  type ProcessSimulation,
  requireStore,
  simulateProcesses,
} from "./simulate-processes.ts";

/** Of version 1: no ids, no parents, and what a compaction keeps named by its line. */
const old = bytesOf(
  [
    { type: "session", id: "old", timestamp: "2025-11-01T00:00:00.000Z", cwd: "/" },
    ...story("user: a", "says: b", "user: c").map(({ id: _, parentId: __, ...rest }) => rest),
    {
      type: "compaction",
      timestamp: "2025-11-01T00:00:00.000Z",
      summary: "s",
      firstKeptEntryIndex: 2,
      tokensBefore: 1,
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(""),
);

describe("a crash at every operation", () => {
  const ends: readonly (readonly [name: string, restart: (files: FaultyFiles) => void])[] = [
    ["the process ends", (files) => files.restart()],
    ...[1, 2, 3, 4, 5].map((seed) => [`power is lost (${seed})`, lostPower(seed)] as const),
  ];

  test.each(ends)("D15 leaves the complete old file or the complete new one, if %s", async (_, restart) => {
    for (let operation = 1; ; operation++) {
      const disk = memoryDisk();
      const { files, path } = disk;
      disk.put(path, old);
      const simulation = simulateProcesses(files);
      files.crashAt(operation);
      const outcome = await migrated(disk, simulation).catch(ifCrashed);
      restart(files);
      files.clearFaults();
      simulation.endProcess();
      await expectWhole(disk, simulation, outcome === "appended");
      if (outcome === "appended") break;
    }
  });
});

const fixture = join(import.meta.dirname, "../../../../../../shared/fixtures/pi-sessions/before-compaction.jsonl");

describe.each(disks)("on a disk that is %s", (_, disk) => {
  test.each(["ENOSPC", "EIO", "EMFILE"])(
    "D15 %s at every operation leaves the complete old file or the complete new one",
    async (code) => {
      const steps = await operationsOf(disk());
      for (let operation = 1; operation <= steps; operation++) {
        const testDisk = disk();
        testDisk.put(testDisk.path, old);
        const simulation = simulateProcesses(testDisk.files);
        testDisk.files.failAt(operation, code);
        const outcome = await migrated(testDisk, simulation);
        expect(`${operation}: ${outcome}`).toMatch(/appended|disk-full|disk-error|ENOSPC|EIO|EMFILE/);
        testDisk.files.clearFaults();
        simulation.endProcess();
        await expectWhole(testDisk, simulation, outcome === "appended");
      }
    },
  );

  test("D15 a failed migration succeeds later without opening the session again", async () => {
    const steps = await operationsOf(disk());
    for (let operation = 1; operation <= steps; operation++) {
      const testDisk = disk();
      testDisk.put(testDisk.path, old);
      const store = await simulateProcesses(testDisk.files).open(testDisk.path);
      const expectedLeaf = await store.leaf();
      testDisk.files.failAt(operation, "ENOSPC");
      const done = await store.append(noteEntries(expectedLeaf, ["new"]), { expectedLeaf });
      const outcome = done.type === "refused" ? done.why : done.type;
      const which = `operation ${operation}, ${testDisk.files.log.find((line) => line.endsWith("ENOSPC"))}`;
      testDisk.files.clearFaults();
      if (outcome === "disk-full") {
        const next = await append(store, "new");
        // Behind the rename the new file is in place, but perhaps not for good: it must be opened again.
        const again = next === "file-replaced" ? await append(await reopened(store, testDisk), "new") : next;
        expect([which, again]).toEqual([which, "appended"]);
      }
      // A sync of the log that fails is the end of writing, whatever the disk says why.
      const wanted = /, sync \S+\.jsonl /.test(which) ? "disk-error" : "appended";
      if (outcome !== "disk-full") expect([which, outcome]).toEqual([which, wanted]);
    }
  });

  // Read in place, beside the project; where it is missing, only files of our making are migrated.
  if (existsSync(fixture))
    test("D15 a file of version 1 by pi is migrated at the first append, with a backup", async () => {
      const testDisk = disk();
      const { path, put, bytes } = testDisk;
      const found = readFileSync(fixture);
      put(path, found);
      const simulation = simulateProcesses(testDisk.files);
      const store = await simulation.open(path);
      const before = await store.branchEntries(await store.leaf());
      expectBytes(bytes(path), found);
      expect(await append(store, "new")).toBe("appended");
      await store.close();
      expectBytes(bytes(`${path}.bak`), found);
      const again = await simulation.open(path);
      expect((await again.branchEntries(await again.leaf())).slice(0, -1)).toEqual(before);
      expect(again.header).toMatchObject({ version: 3, pith: { format: 1 } });
      expect(await again.check()).toEqual([]);
      return undefined;
    });
});

async function migrated({ path }: Disk, { parts }: ProcessSimulation): Promise<string> {
  const opened = await openStore(path, parts);
  return opened.type === "unavailable" ? opened.code : append(requireStore(opened), "new").catch(codeOf);
}

// Whoever only asks is told by the disk itself.
function codeOf(error: unknown): string {
  const code = diskErrorCode(error);
  if (code === "") throw error;
  return code;
}

async function operationsOf(disk: Disk): Promise<number> {
  disk.put(disk.path, old);
  await migrated(disk, simulateProcesses(disk.files));
  return disk.files.operations;
}

async function expectWhole(disk: Disk, simulation: ProcessSimulation, isAcknowledged: boolean): Promise<void> {
  const { path, bytes, has } = disk;
  const found = bytes(path);
  const wanted = await idsIn(old);
  const isOld = Buffer.compare(found, old) === 0;
  const ids = await idsIn(found);
  if (isAcknowledged) expect(ids).toEqual([...wanted, "new"]);
  else expect(ids.filter((id) => id !== "new")).toEqual(wanted);
  if (!isOld) expectBytes(bytes(`${path}.bak`), old);

  const again = await simulation.open(path);
  expect(await append(again, "newer")).toBe("appended");
  expect(await branchIds(again)).toEqual([...ids, "newer"]);
  await again.close();
  expectBytes(bytes(`${path}.bak`), old);
  expect([has(`${path}.bak-2`), has(`${path}.new`)]).toEqual([false, false]);
}

async function idsIn(bytes: Uint8Array): Promise<readonly string[]> {
  return branchIds(MemoryStore.open(bytes, testRuntime()));
}

function lostPower(seed: number): (files: FaultyFiles) => void {
  return (files) => files.cutPower(createSeededRandom(seed));
}

function ifCrashed(error: unknown): string {
  if (!(error instanceof CrashError)) throw error;
  return "crashed";
}

async function reopened(store: JsonlStore, { files, path }: Disk): Promise<JsonlStore> {
  await store.close();
  return simulateProcesses(files).open(path);
}
