/** Tests that on a full disk only the new entry is refused and undone, and that it can be written when there is space. */

import { describe, expect, test } from "vitest";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { chain, file, ourHeader, piHeader, withTrailers } from "../../format/specimen.ts";
import { type Disk, disks, expectBytes } from "./disks.ts";
import { append, branchIds, type ProcessSimulation, simulateProcesses } from "./simulate-processes.ts";

describe.each(disks)("on a disk that is %s", (_, disk) => {
  test("DISK2 D5 an incomplete write of an entry, cut at any byte, is undone and succeeds later", async () => {
    const { files, path, bytes } = disk();
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path);
    const written: string[] = [];
    for (let room = 0, outcome = ""; outcome !== "appended"; room++) {
      const before = bytes(path);
      files.freeBytes = room;
      outcome = await append(store, `e${room}`);
      written.push(`e${room}`);
      files.freeBytes = undefined;
      if (outcome === "appended") break;
      expect(outcome).toBe("disk-full");
      expectBytes(bytes(path), before);
      expect(await append(store, `e${room}`)).toBe("appended");
    }
    expect(written.length).toBeGreaterThan(100);
    expect(await branchIds(store)).toEqual(written);
    expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(written);
  });

  test("DISK2 D5 an incomplete write of a batch, cut at any byte, is undone", async () => {
    const { files, path, bytes } = disk();
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path);
    await append(store, "e");
    const before = bytes(path);
    for (let room = 0; ; room++) {
      files.freeBytes = room;
      const outcome = await append(store, "a", "b", "c");
      if (outcome === "appended") break;
      expect(outcome).toBe("disk-full");
      expectBytes(bytes(path), before);
    }
    expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["e", "a", "b", "c"]);
  });

  test("D5 creating a session fails on a full disk and succeeds when there is space", async () => {
    let outcome = "";
    for (let room = 0; outcome !== "opened"; room++) {
      const testDisk = disk();
      const simulation = simulateProcesses(testDisk.files);
      testDisk.files.freeBytes = room;
      outcome = await created(testDisk, simulation);
      if (outcome !== "opened") expect(`room for ${room}: ${outcome}`).toBe(`room for ${room}: ENOSPC`);
      testDisk.files.freeBytes = undefined;
      const found =
        outcome === "opened"
          ? await openStore(testDisk.path, { ...simulation.parts, mode: "follower" })
          : await createStore(testDisk.path, { cwd: "/project" }, simulation.parts);
      expect([room, found.type]).toEqual([room, "opened"]);
      if (found.type === "opened" && outcome !== "opened") expect(await append(found.store, "e")).toBe("appended");
    }
  });

  test("D5 opening a session on a full disk fails with a reason; the session can be followed, and opens when there is space", async () => {
    const { files, path, put } = disk();
    const simulation = simulateProcesses(files);
    put(path, file(withTrailers(ourHeader, ...chain(2))));
    for (let room = 0, outcome = ""; outcome !== "opened"; room++) {
      files.freeBytes = room;
      const found = await openStore(path, simulation.parts);
      outcome = found.type === "unavailable" ? found.code : found.type;
      if (outcome !== "opened") expect(`room for ${room}: ${outcome}`).toBe(`room for ${room}: ENOSPC`);
      expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["e1", "e2"]);
    }
  });

  test("D5 a migration on a full disk leaves the old file unchanged, and succeeds when there is space", async () => {
    const { files, path, put, bytes } = disk();
    const simulation = simulateProcesses(files);
    const old = file(piHeader.replace('"version":3', '"version":2'), chain(2));
    put(path, old);
    const store = await simulation.open(path);
    for (let room = 0; ; room++) {
      files.freeBytes = room;
      const outcome = await append(store, "new");
      if (outcome === "appended") break;
      expect(outcome).toBe("disk-full");
      if ((await branchIds(await simulation.open(path, { mode: "follower" }))).length !== 2) expect.unreachable();
    }
    expectBytes(bytes(`${path}.bak`), old);
    files.freeBytes = undefined;
    expect(await append(store, "newer")).toBe("appended");
    expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["e1", "e2", "new", "newer"]);
  });

  test("D5 torn bytes that cannot be saved stay in the file, and are saved once when there is space", async () => {
    const torn = '{"type":"custom","id":"e3"';
    for (let room = 0; room < torn.length; room++) {
      const { files, path, put, bytes } = disk();
      const simulation = simulateProcesses(files);
      const found = Uint8Array.from([...file(withTrailers(ourHeader, ...chain(2))), ...Buffer.from(torn)]);
      put(path, found);
      const store = await simulation.open(path);
      files.freeBytes = room;
      expect(await append(store, "new")).toBe("disk-full");
      expectBytes(bytes(path), found);
      files.freeBytes = undefined;
      expect(await append(store, "new")).toBe("appended");
      expect([room, Buffer.from(bytes(`${path}.damaged`)).toString()]).toEqual([room, torn]);
      expect(await branchIds(await simulation.open(path, { mode: "follower" }))).toEqual(["e1", "e2", "new"]);
    }
  });
});

async function created({ path }: Disk, { parts }: ProcessSimulation): Promise<string> {
  const found = await createStore(path, { cwd: "/project" }, parts);
  return found.type === "unavailable" ? found.code : found.type;
}
