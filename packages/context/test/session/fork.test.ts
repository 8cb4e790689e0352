/** Tests forking one branch as a new session. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import type { Entry } from "../../src/entry.ts";
import { forkBranch } from "../../src/session/fork.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { story } from "../../src/testing/story.ts";

const ports = testRuntime("new");
const stored = async (entries: readonly Entry[]): Promise<MemoryStore> => {
  const store = MemoryStore.create(ports, { cwd: "/project" });
  for (const entry of entries) await store.append([entry], { expectedLeaf: await store.leaf() });
  return store;
};
const forkOf = async (store: MemoryStore, leaf: string): Promise<MemoryStore> =>
  MemoryStore.open(await forkBranch(store, { leaf, parentSession: "/old.jsonl" }, ports), ports);

test("FORK1 a fork has the branch without its labels, which follow at the end", async () => {
  const store = await stored(
    story("user: one", "labels e1: start", "says: two", "labels e3: here", "user: three", "moves: e1", "user: other"),
  );
  const copy = await forkOf(store, "e5");
  const branch = await copy.branchEntries(await copy.leaf());
  expect(
    branch.map((entry) => [
      entry.type,
      entry.id.startsWith("new") ? "new" : entry.id,
      entry.parentId?.replace(/new\d+/, "new") ?? null,
    ]),
  ).toEqual([
    ["message", "e1", null],
    ["message", "e3", "e1"],
    ["message", "e5", "e3"],
    ["label", "new", "e5"],
    ["label", "new", "new"],
  ]);
  expect([...(await copy.labels())]).toEqual([
    ["e1", "start"],
    ["e3", "here"],
  ]);
  expect(copy.header).toMatchObject({ version: 3, cwd: "/project", parentSession: "/old.jsonl" });
  expect(copy.header.id).not.toBe(store.header.id);
});

test("FORK2 a compaction whose first kept entry is a label keeps the entry after it", async () => {
  const store = await stored(
    story("user: one", "labels e1: start", "says: two", "compacts: short, keeps e2", "user: three"),
  );
  const copy = await forkOf(store, "e5");
  const messages = async (from: MemoryStore, leaf: string): Promise<unknown> =>
    buildSessionContext(await from.loadBranch(leaf)).messages;
  expect(await messages(copy, "e5")).toEqual(await messages(store, "e5"));
  expect(await copy.entry("e4")).toMatchObject({ firstKeptEntryId: "e3" });
});

test("LOG4 FORK1 a gap stays visible in the fork", async () => {
  const lines = new TextDecoder()
    .decode((await stored(story("user: one", "says: two", "user: three"))).bytes())
    .split("\n");
  const broken = lines.map((line, at) => (at === 2 ? line.replace("two", "2wo") : line)).join("\n");
  const store = MemoryStore.open(new TextEncoder().encode(broken), ports);
  expect(store.damage.map(({ kind, line }) => [kind, line])).toEqual([["wrong-checksum", 3]]);
  const copy = await forkOf(store, "e3");
  expect(copy.damage.map(({ kind, line }) => [kind, line])).toEqual([["lost-entry", 3]]);
  expect((await copy.branchEntries("e3")).map(({ type, id }) => [type, id])).toEqual([
    ["message", "e1"],
    ["gap", "e2"],
    ["message", "e3"],
  ]);
});
