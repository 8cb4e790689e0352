/** Tests the memory store against the store contract and the rules of an append. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { story } from "../../src/testing/story.ts";

const ports = testRuntime();
const fresh = async (...lines: readonly string[]): Promise<MemoryStore> => {
  const store = MemoryStore.create(ports);
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  return store;
};
const after = (parentId: string | null, entry: object): Entry =>
  ({ id: "new", parentId, timestamp: "", ...entry }) as Entry;

describe("the store contract", () => {
  storeContract(
    { test: (name, run) => test(name, run), equal: (actual, expected) => expect(actual).toEqual(expected) },
    {
      create: async () => MemoryStore.create(ports),
      reopen: async (store) => MemoryStore.open((store as MemoryStore).bytes(), ports),
      takeOver: async (store) => (store as MemoryStore).takeOver(),
    },
  );
});

describe("TREE1 TREE2 TREE5 TREE6 TREE7 an invalid batch", () => {
  const refused = async (batch: readonly Entry[], sentence: RegExp): Promise<void> => {
    const store = await fresh("user: a", "calls: read", "result: x", "moves: e1", "bash: ls -> a");
    const before = store.bytes();
    await expect(store.append(batch, { expectedLeaf: "e5" })).rejects.toThrow(sentence);
    expect(store.bytes()).toEqual(before);
  };
  const label = { type: "label", label: "x" };
  const compaction = { type: "compaction", summary: "s", tokensBefore: 1 };
  const edit = { type: "context_edit", replacement: null };
  const custom = { type: "custom", customType: "x" };

  test.each([
    [
      "TREE1 an entry without its parent",
      [after("nobody", custom)],
      /entry new follows nobody, which is not in this session/,
    ],
    [
      "TREE2 a batch that is not a chain",
      [after("e5", custom), after("e1", { ...custom, id: "other" })],
      /must follow new/,
    ],
    ["TREE1 an id twice", [after("e5", { ...custom, id: "e2" })], /e2 is already in this session/],
    ["TREE1 no id", [after("e5", { ...custom, id: "" })], /needs an id/],
    ["TREE1 a gap", [after("e5", { type: "gap", why: "" })], /gaps cannot be appended/],
    ["TREE5 a label of nobody", [after("e5", { ...label, targetId: "nobody" })], /labels nobody/],
    [
      "TREE6 a compaction that keeps an entry of another branch",
      [after("e5", { ...compaction, firstKeptEntryId: "e2" })],
      /keeps e2, which is not before it/,
    ],
    [
      "TREE6 a compaction whose first kept entry is a tool result",
      [after("e3", { ...compaction, firstKeptEntryId: "e3" })],
      /tool result e3 without its tool call/,
    ],
    [
      "TREE7 an edit on another branch",
      [after("e5", { ...edit, targetId: "e2" })],
      /changes e2, which is not before it/,
    ],
    [
      "TREE7 an edit of an entry without content",
      [after("e5", { ...edit, targetId: "e5" })],
      /changes e5, which has no content/,
    ],
  ] as const)("%s throws an error that names the entry, and nothing is written", (_, batch, sentence) =>
    refused(batch, sentence),
  );

  test("TREE6 a compaction may keep an earlier entry of its batch", async () => {
    const store = await fresh("user: a");
    const first = after("e1", { type: "message", message: { role: "user", content: "b", timestamp: 0 }, id: "first" });
    const second = after("first", { ...compaction, firstKeptEntryId: "first" });
    expect(await store.append([first, second], { expectedLeaf: "e1" })).toEqual({ type: "appended", leaf: "new" });
  });

  test("LOG12 an entry with invalid fields is refused before it is written", async () => {
    await refused([after("e5", { type: "unknown", kind: "foo", value: { a: 1 } })], /entry new has an invalid type/);
    for (const type of ["message", "session"])
      await refused(
        [after("e5", { type: "unknown", kind: type, value: { type, message: { role: "user" } } })],
        /has an invalid type/,
      );
    await refused(
      [after("e5", { type: "message", message: { role: "toolResult", content: [] } })],
      /invalid message.toolCallId/,
    );
  });

  test("LOG10 a line that exceeds the limits is refused before it is written", async () => {
    let deep: unknown = 0;
    for (let level = 0; level < 250; level++) deep = [deep];
    await refused([after("e5", { ...custom, data: deep })], /nested deeper than 200/);
    await refused([after("e5", { ...custom, data: "x".repeat(33 * 1024 * 1024) })], /longer than 33554432 bytes/);
  });
});

test("LOG11 a session of a newer version can be read but not appended to", async () => {
  const text =
    '{"type":"session","version":99,"id":"s","timestamp":"","cwd":"/"}\n{"type":"custom","id":"a","parentId":null,"timestamp":"","customType":"x"}\n';
  const store = MemoryStore.open(new TextEncoder().encode(text), ports);
  expect(await store.leaf()).toBe("a");
  const refused = await store.append([after("a", { type: "custom", customType: "x" })], { expectedLeaf: "a" });
  expect(refused).toEqual({ type: "refused", why: "newer-version", leaf: "a" });
});

test("LOG1 the bytes only grow, and a torn end is cut off by the next append", async () => {
  const store = await fresh("user: a", "says: b");
  const whole = store.bytes();
  const torn = MemoryStore.open(whole.subarray(0, whole.length - 7), ports);
  expect(torn.damage.map(({ kind }) => kind)).toEqual(["torn-tail"]);
  expect(await torn.leaf()).toBe("e1");
  await torn.append([after("e1", { type: "custom", customType: "x" })], { expectedLeaf: "e1" });
  const again = MemoryStore.open(torn.bytes(), ports);
  expect(again.damage).toEqual([]);
  expect((await again.branchEntries("new")).map(({ id }) => id)).toEqual(["e1", "new"]);
});

test("STO7 the name of a session is trimmed, and an empty name removes it", async () => {
  expect(await (await fresh("names:  my session ")).name()).toBe("my session");
  expect(await (await fresh("names: my session", "names: ")).name()).toBe(undefined);
});
