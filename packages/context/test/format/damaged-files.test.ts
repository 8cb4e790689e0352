/** Tests that damage of any kind is reported, and that the readable entries form one tree that can be appended to. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { branchEntries, buildTree } from "../../src/tree.ts";
import { damagedEncodings } from "./damaged-encodings.ts";
import { damagedLines } from "./damaged-lines.ts";
import { damagedTrees } from "./damaged-trees.ts";
import { expectAppendable, findReadFaults, readableEntries } from "./file-invariants.ts";
import { chain, type DamagedFile, damageIn, entriesIn, file, idAt, idsIn, note, piHeader, read } from "./specimen.ts";

describe("D9 a session file with lines replaced, removed, doubled or swapped", () => {
  test.each(damagedLines)("D9 is read with its damage reported and its other entries: $name", expectContained);

  test.each(damagedLines)("D9 has the entries before a gap on the branch of those after it: $name", ({ bytes }) => {
    const entries = entriesIn(read(bytes));
    const tree = buildTree(entries);
    const longest = entries.map(({ id }) => readableEntries(branchEntries(tree, id)).length);
    expect(Math.max(...longest)).toBe(readableEntries(entries).length);
  });
});

describe("D10 a session file with contradictory ids and parents", () => {
  test.each(damagedTrees)("D10 is read with its damage reported and its other entries: $name", expectContained);
});

describe("D10 an entry appended under a gap", () => {
  const [e1 = "", e2 = "", e3 = ""] = chain(3);

  test.each([
    ["a lost parent", file(piHeader, e1, e3), "e2"],
    ["a circle of parents", file(piHeader, e1, note("e2", "e2"), e3), "gap-before-1"],
    ["a lost line that a child names", file(piHeader, e1, "garbage", e3), "e2"],
    ["a lost line that no entry names", file(piHeader, e1, e2, "garbage"), "gap-2"],
    ["a damaged line with a readable id", file(piHeader, e1, e2.slice(0, 60), e3), "e2"],
    ["a damaged line whose id no entry names", file(piHeader, e1, e2.slice(0, 60)), "gap-1"],
  ])("D10 has the same parent when the file is read again: %s", async (_, bytes, name) => {
    const [, prefix = "", number] = /^(gap-before-|gap-)(\d)$/.exec(name) ?? [];
    const gap = number === undefined ? name : idAt(bytes, prefix, Number(number));
    const store = MemoryStore.open(bytes, testRuntime());
    const before = await store.branchEntries(gap);
    expect(before.at(-1)?.type).toBe("gap");
    const place = { id: "new", parentId: gap, timestamp: "t", number: (await store.lastNumber()) + 1 };
    const entry: Entry = { type: "custom", ...place, customType: "note" };
    await store.append([entry], { expectedLeaf: await store.leaf() });
    const again = MemoryStore.open(store.bytes(), testRuntime());
    expect(await again.branchEntries("new")).toEqual([...before, entry]);
  });
});

describe("D11 a session file with another or a damaged encoding", () => {
  test.each(damagedEncodings)("D11 is read with its damage reported and its other entries: $name", expectContained);
});

async function expectContained(row: DamagedFile): Promise<void> {
  const found = read(row.bytes, row.limits);
  const entries = entriesIn(found);
  const last = readableEntries(entries).at(-1)?.id ?? null;
  expect({
    damage: damageIn(found),
    entries: idsIn(entries, row.bytes),
    branch: idsIn(branchEntries(buildTree(entries), last), row.bytes),
  }).toEqual({
    damage: row.damage,
    entries: row.entries,
    branch: row.branch ?? row.entries,
  });
  expect(findReadFaults(row.bytes, found)).toEqual([]);
  if (row.limits) return;
  if (row.future) await expectReadOnly(row.bytes);
  else await expectAppendable(row.bytes);
}

async function expectReadOnly(bytes: Uint8Array): Promise<void> {
  const store = MemoryStore.open(bytes, testRuntime());
  const leaf = await store.leaf();
  const entry = { type: "custom", id: "appended", parentId: leaf, timestamp: "", customType: "note" } as const;
  expect(await store.append([entry], { expectedLeaf: leaf })).toMatchObject({ type: "refused", why: "newer-version" });
  expect([store.bytes(), await store.leaf()]).toEqual([bytes, leaf]);
}
