/** Tests that every operation on a closed store says that it is closed. */

import { expect, test } from "vitest";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { requireStore } from "./simulate-processes.ts";

const path = "/s/one.jsonl";

test("DISK3 a closed store can only be closed again", async () => {
  const files = new FaultyFiles();
  const store = requireStore(await createStore(path, { cwd: "/" }, { files }));
  const session = await Session.open(store, nodeRuntime);
  await session.append({ type: "custom", customType: "told" });
  await store.close();
  await store.close();
  expect(await session.append({ type: "custom", customType: "late" })).toMatchObject({
    type: "refused",
    why: "closed",
  });
  expect(store.isWriter).toBe(false);
  await expect(store.entry("x")).rejects.toThrow("/s/one.jsonl is closed; open it again");
  await expect(store.leaf()).rejects.toThrow("is closed");
  expect((await openStore(path, { files })).type).toBe("opened");
});

test("DISK3 a store cannot write after a disk error", async () => {
  const files = new FaultyFiles();
  const store = requireStore(await createStore(path, { cwd: "/" }, { files }));
  const session = await Session.open(store, nodeRuntime);
  files.failEvery("EIO", ["sync"]);
  expect(await session.append({ type: "custom", customType: "told" })).toMatchObject({ why: "disk-error" });
  expect(store.isWriter).toBe(false);
});

test("DISK7 following ends when the file is removed", async () => {
  const files = new FaultyFiles();
  await requireStore(await createStore(path, { cwd: "/" }, { files })).close();
  const follower = requireStore(await openStore(path, { files, mode: "follower" }));
  const updates = follower.follow({ signal: new AbortController().signal, intervalMs: 1 });
  const next = updates.next();
  await new Promise((resolve) => setTimeout(resolve, 10));
  files.remove(path);
  expect(await next).toEqual({ done: true, value: undefined });
});
