/** Tests concurrent operations: a long indexing, a write by another process, a close. */

import { describe, expect, test } from "vitest";
import { indexPath } from "../../../src/node/files.ts";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { type NewEntry, Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { requireStore } from "./simulate-processes.ts";

const path = "/s/one.jsonl";
const entries = (letters: number): NewEntry => ({ type: "custom", customType: "told", data: "x".repeat(letters) });
const line = (id: string, parentId: string): string =>
  `{"type":"custom","id":"${id}","parentId":"${parentId}","timestamp":"","customType":"pi"}\n`;

/** A session of twelve megabytes: its index is made in several pieces. */
async function long(files: FaultyFiles): Promise<readonly string[]> {
  const store = requireStore(await createStore(path, { cwd: "/" }, { files, durability: "fast" }));
  const session = await Session.open(store, nodeRuntime);
  const ids: string[] = [];
  for (let at = 0; at < 12; at++) {
    await session.append(entries(1_000_000));
    ids.push(session.leaf ?? "");
  }
  await store.close();
  files.remove(indexPath(path));
  return ids;
}

function addByHand(files: FaultyFiles, text: string): void {
  const file = files.open(path, "append");
  file.append(Buffer.from(text));
  file.close();
}

describe("while the index is built", () => {
  test("DISK9 an appended line is in the index and in the tree, also for the next process", async () => {
    const files = new FaultyFiles();
    const ids = await long(files);
    const store = requireStore(await openStore(path, { files }));
    const preparing = store.prepareIndex();
    await new Promise((resolve) => setImmediate(resolve));
    addByHand(files, line("pi", ids.at(-1) ?? ""));
    expect(await store.leaf()).toBe("pi");
    await preparing;
    expect((await store.entry("pi"))?.id).toBe("pi");
    const session = await Session.open(store, nodeRuntime);
    await session.append(entries(1));
    expect((await session.branchEntries()).slice(-3).map(({ id }) => id)).toEqual([ids.at(-1), "pi", session.leaf]);
    await store.close();
    const next = requireStore(await openStore(path, { files, mode: "follower" }));
    expect((await next.branchEntries("pi")).length).toBe(13);
  });

  test("DISK3 closing the store refuses pending operations without an unhandled rejection", async () => {
    const files = new FaultyFiles();
    await long(files);
    const store = requireStore(await openStore(path, { files }));
    const session = await Session.open(store, nodeRuntime);
    const appending = session.append(entries(1));
    const asking = store.entry("x").catch((error: Error) => error.message);
    await store.close();
    expect(await appending).toMatchObject({ type: "refused", why: "closed" });
    expect(await asking).toBe("/s/one.jsonl is closed; open it again");
    // What opening began by itself comes to its end here.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("another process", () => {
  test("DISK4 D14 an incomplete line is not cut off while the file grows", async () => {
    const files = new FaultyFiles();
    const store = requireStore(await createStore(path, { cwd: "/" }, { files }));
    const session = await Session.open(store, nodeRuntime);
    await session.append(entries(1));
    const whole = line("pi", session.leaf ?? "");
    addByHand(files, whole.slice(0, 30));
    expect(await session.append(entries(2))).toEqual({ type: "leaf-moved", leaf: session.leaf });
    addByHand(files, whole.slice(30));
    expect(await session.append(entries(2))).toEqual({ type: "leaf-moved", leaf: "pi" });
    await session.refresh();
    expect((await session.append(entries(2))).type).toBe("appended");
    expect(await store.check()).toEqual([]);
    expect(files.listPaths()).not.toContain(`${path}.damaged`);
  });

  test("DISK2 D5 undoing a write on a full disk does not remove bytes of another process", async () => {
    const files = new FaultyFiles();
    const store = requireStore(await createStore(path, { cwd: "/" }, { files: writingBetween(files) }));
    const session = await Session.open(store, nodeRuntime);
    await session.append(entries(1));
    files.failEvery("ENOSPC", ["append"]);
    expect(await session.append(entries(1))).toMatchObject({ type: "refused", why: "disk-error" });
    files.clearFaults();
    const next = requireStore(await openStore(path, { files, mode: "follower" }));
    expect((await next.entry("pi"))?.id).toBe("pi");
  });
});

test("DISK9 an index that covers more than the intact lines is ignored", async () => {
  const files = new FaultyFiles();
  const store = requireStore(await createStore(path, { cwd: "/" }, { files }));
  const session = await Session.open(store, nodeRuntime);
  await session.append(entries(1_100_000));
  const first = session.leaf;
  await session.append(
    entries(1),
    { ...entries(1), id: "second" } as NewEntry,
    { ...entries(1), id: "third" } as NewEntry,
  );
  await store.close();
  const bytes = files.readBytes(path).slice();
  const at = Buffer.from(bytes).lastIndexOf('"second","parentId"');
  bytes[at + 60] = (bytes[at + 60] ?? 0) ^ 1;
  files.addFile(path, bytes);
  const next = requireStore(await openStore(path, { files }));
  expect([await next.leaf(), await next.entry("third")]).toEqual([first, undefined]);
  const again = await Session.open(next, nodeRuntime);
  await again.append(entries(2));
  expect((await again.branchEntries()).map(({ id }) => id)).toEqual([first, again.leaf]);
});

test("D9 a file with a long tail of garbage can be opened", async () => {
  const files = new FaultyFiles();
  const store = requireStore(await createStore(path, { cwd: "/" }, { files }));
  await (await Session.open(store, nodeRuntime)).append(entries(1));
  await store.close();
  addByHand(files, "g\n".repeat(200_000));
  const next = requireStore(await openStore(path, { files, mode: "follower" }));
  expect((await next.children(null)).length).toBe(1);
});

/** The same disk, where pi adds a line right before an append of ours that fails. */
function writingBetween(files: FaultyFiles): FaultyFiles {
  return new Proxy(files, {
    get(target, name) {
      if (name !== "open")
        return typeof target[name as keyof FaultyFiles] === "function"
          ? (target[name as keyof FaultyFiles] as (...args: never[]) => unknown).bind(target)
          : target[name as keyof FaultyFiles];
      return (where: string, how: "read" | "append") => {
        const file = target.open(where, how);
        return {
          ...file,
          append(bytes: Uint8Array): number {
            try {
              return file.append(bytes);
            } catch (error) {
              target.addFile(path, Buffer.concat([target.readBytes(path), Buffer.from(line("pi", "x"))]));
              throw error;
            }
          },
        };
      };
    },
  });
}
