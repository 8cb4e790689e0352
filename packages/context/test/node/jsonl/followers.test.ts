/** Tests that a follower accepts all changes of its writer, and that a writer syncs what the previous one left unsynced. */

import { expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenOptions, openStore } from "../../../src/node/jsonl/open-store.ts";
import type { ProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { requireStore } from "./simulate-processes.ts";

const path = "/s/one.jsonl";
/** Nobody lives long: every opener finds the one before it dead. */
let living = 0;
const processes: ProcessTable = {
  self: () => ({ pid: living, started: "", host: "", machine: "", since: 0 }),
  isAlive: ({ pid }) => pid === living,
};

test("DISK7 a follower sees entries that are written after a torn end was cut off", async () => {
  const files = new FaultyFiles();
  await write(files, 2);
  const follower = requireStore(await openStore(path, { files, mode: "follower" }));
  const readIds = watch(follower);
  expect(await readIds(0)).toEqual([]);
  files.addFile(
    path,
    new Uint8Array([...files.readBytes(path), ...new TextEncoder().encode(`{"type":"message",${" ".repeat(5000)}`)]),
  );
  expect(await readIds(0)).toEqual([]);
  const ids = await write(files, 3);
  expect(await readIds(3)).toEqual(ids);
  expect(await follower.leaf()).toBe(ids.at(-1));
});

test("DISK7 a follower sees entries that are written after a migration", async () => {
  const files = new FaultyFiles();
  const old = ['{"type":"session","id":"s","cwd":"/"}', '{"type":"custom","customType":"x"}'];
  files.addFile(path, new TextEncoder().encode(`${old.join("\n")}\n`));
  const follower = requireStore(await openStore(path, { files, mode: "follower" }));
  const readIds = watch(follower);
  expect(await readIds(0)).toEqual([]);
  const ids = await write(files, 3);
  expect(await readIds(3)).toEqual(ids);
  expect(await follower.leaf()).toBe(ids.at(-1));
});

test("LOG13 D4 a writer that died before its sync leaves no hole before the lines of the next one", async () => {
  for (let seed = 0; seed < 200; seed++) {
    const files = new FaultyFiles();
    const first = await write(files, 4, "fast");
    files.restart();
    const second = await write(files, 4, "fast");
    files.cutPower(createSeededRandom(seed));
    const store = requireStore(await openStore(path, { files, mode: "follower" }));
    const branch = await store.branchEntries(await store.leaf());
    expect(
      branch.map(({ id }) => id),
      `seed ${seed}`,
    ).toEqual([...first, ...second].slice(0, branch.length));
    expect(branch.length).toBeGreaterThanOrEqual(4);
  }
});

async function write(
  files: FaultyFiles,
  count: number,
  durability: OpenOptions["durability"] = "durable",
): Promise<readonly string[]> {
  living++;
  const parts = { files, processes, durability };
  const store = requireStore(
    files.listPaths().includes(path) ? await openStore(path, parts) : await createStore(path, { cwd: "/" }, parts),
  );
  const session = await Session.open(store, nodeRuntime);
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    await session.append({ type: "custom", customType: "told", data: "x".repeat(3000) });
    ids.push(session.leaf ?? "");
  }
  return ids;
}

/** Asks a follower for so many more entries. */
function watch(store: JsonlStore): (count: number) => Promise<readonly string[]> {
  const waiting: Entry[] = [];
  const stop = new AbortController();
  const stream = store.follow({ signal: stop.signal, intervalMs: 1 });
  void (async () => {
    for await (const entries of stream) waiting.push(...entries);
  })();
  return async (count) => {
    for (let tries = 0; tries < 30_000 && (waiting.length < count || tries < 5); tries++)
      await new Promise((resolve) => setTimeout(resolve, 2));
    if (count > 0) stop.abort();
    return waiting.splice(0).map(({ id }) => id);
  };
}
