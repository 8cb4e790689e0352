/** Tests unsynced lines: only a power cut can lose them, and it leaves no hole. */

import { describe, expect, test } from "vitest";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { cloneSession } from "../../../src/node/sessions/copy-session.ts";
import { Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { expectBytes } from "./disks.ts";
import { append, requireStore, simulateProcesses } from "./simulate-processes.ts";

const path = "/s/one.jsonl";
const fast = "fast" as const;

describe("LOG13 unsynced lines", () => {
  test("LOG13 stay after a line without a line end", async () => {
    const files = new FaultyFiles();
    const before = await write(files, 2);
    files.addFile(path, files.readBytes(path).slice(0, -1));
    const after = await write(files, 2);
    expect(await idsIn(files, path)).toEqual([...before, ...after]);
  });

  test("LOG13 stay in a clone and after a manual change of the header", async () => {
    const files = new FaultyFiles();
    const ids = await write(files, 4);
    const cloned = await cloneSession(path, { files, env: { PITH_HOME: "/home" }, cwd: "/a/folder/with/a/long/name" });
    expect(await idsIn(files, cloned.type === "cloned" ? cloned.path : "")).toEqual(ids);
    const edited = Buffer.from(files.readBytes(path)).toString().replace('"cwd":"/"', '"cwd":"/elsewhere"');
    files.addFile(path, Buffer.from(edited));
    expect(await idsIn(files, path)).toEqual(ids);
  });

  test("LOG13 D4 leave no hole after a torn end was cut off or after pi has appended", async () => {
    for (let seed = 0; seed < 300; seed++) {
      const files = new FaultyFiles();
      const ids = [...(await write(files, 1))];
      files.addFile(
        path,
        Buffer.concat([files.readBytes(path), Buffer.from('{"type":"custom","id":"torn'.padEnd(700, "x"))]),
      );
      ids.push(...(await write(files, 3)));
      if (seed % 2 === 0) ids.push(byHand(files, ids.at(-1) ?? ""));
      files.cutPower(createSeededRandom(seed));
      const store = requireStore(await openStore(path, { files, mode: "follower" }));
      const branch = await store.branchEntries(await store.leaf());
      expect(
        branch.map(({ id }) => id),
        `seed ${seed}`,
      ).toEqual(ids.slice(0, branch.length));
    }
  });
});

test("DISK2 D5 after a sync, a power cut does not bring back an incomplete write that was undone", async () => {
  for (let seed = 0; seed < 30; seed++) {
    const files = new FaultyFiles();
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path, { durability: fast });
    expect(await append(store, "e1")).toBe("appended");
    await store.sync();
    const before = files.readBytes(path);
    files.freeBytes = 50;
    expect(await append(store, "e2")).toBe("disk-full");
    files.freeBytes = undefined;
    await store.sync();
    files.cutPower(createSeededRandom(seed));
    expectBytes(files.readBytes(path), before);
  }
});

test("DISK11 replaceable entries are on the disk after the next synced append, and nothing before it is ever missing", async () => {
  for (let seed = 0; seed < 300; seed++) {
    const files = new FaultyFiles();
    const chance = createSeededRandom(seed);
    const session = await Session.open(requireStore(await createStore(path, { cwd: "/" }, { files })), nodeRuntime);
    const ids: string[] = [];
    let safe = 0;
    for (let line = 0; line < 12; line++) {
      const draft = { type: "custom", customType: "said", data: "x".repeat(Math.floor(chance() * 3_000)) } as const;
      const isReplaceable = chance() < 0.6;
      const outcome = isReplaceable ? await session.appendReplaceable(draft) : await session.append(draft);
      if (outcome.type === "appended") ids.push(outcome.leaf ?? "");
      if (!isReplaceable) safe = ids.length;
    }
    files.cutPower(chance);
    const store = requireStore(await openStore(path, { files, mode: "follower" }));
    const found = (await store.branchEntries(await store.leaf())).map(({ id }) => id);
    expect(found, `seed ${seed}`).toEqual(ids.slice(0, found.length));
    expect(found.length, `seed ${seed}`).toBeGreaterThanOrEqual(safe);
  }
});

test("LOG10 the limits of the store apply to its writes", async () => {
  const files = new FaultyFiles();
  const limits = { lineBytes: 2000, depth: 200 };
  const store = requireStore(await createStore(path, { cwd: "/" }, { files, limits }));
  const session = await Session.open(store, nodeRuntime);
  const long = { type: "custom", customType: "told", data: "x".repeat(5000) } as const;
  await expect(session.append(long)).rejects.toThrow("is longer than 2000 bytes");
  expect(await store.children(null)).toEqual([]);
});

/** As pi appends: no marks, and nobody waits for the disk. */
function byHand(files: FaultyFiles, parentId: string): string {
  const file = files.open(path, "append");
  file.append(Buffer.from(`{"type":"custom","id":"pi","parentId":"${parentId}","timestamp":"","customType":"pi"}\n`));
  file.close();
  return "pi";
}

let living = 0;

async function write(files: FaultyFiles, count: number): Promise<readonly string[]> {
  living++;
  const processes = {
    self: () => ({ pid: living, started: "", host: "", machine: "", since: 0 }),
    isAlive: ({ pid }: { readonly pid: number }) => pid === living,
  };
  const parts = { files, processes, durability: fast };
  const there = files.listPaths().includes(path);
  const store = requireStore(there ? await openStore(path, parts) : await createStore(path, { cwd: "/" }, parts));
  const session = await Session.open(store, nodeRuntime);
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    await session.append({ type: "custom", customType: "told", data: "x".repeat(300) });
    ids.push(session.leaf ?? "");
  }
  return ids;
}

async function idsIn(files: FaultyFiles, where: string): Promise<readonly string[]> {
  const store = requireStore(await openStore(where, { files, mode: "follower" }));
  return (await store.branchEntries(await store.leaf())).map(({ id }) => id);
}
