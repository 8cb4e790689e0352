/** Checks what holds for every file, intact or damaged: all of it is read, the entries form one tree, and appends work. */

import { expect } from "vitest";
import type { Entry } from "../../src/entry.ts";
import type { SessionFile } from "../../src/format/session-file.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { buildTree } from "../../src/tree.ts";
import { entriesIn, read } from "./specimen.ts";

/** Lists the faults of a decoded file; empty for any bytes. Fast enough for thousands of files. */
export function findReadFaults(bytes: Uint8Array, found: SessionFile): readonly string[] {
  const entries = entriesIn(found);
  const reached = listFromRoots(entries);
  const outside = found.damage.filter(
    ({ offset, length }) => offset < 0 || length < 0 || offset + length > bytes.length,
  );
  return [
    ...(new Set(entries.map(({ id }) => id)).size === entries.length ? [] : ["two entries have one id"]),
    ...(reached.length === entries.length && new Set(reached).size === entries.length ? [] : ["not all are reached"]),
    ...outside.map(({ kind, line }) => `${kind} of line ${line} lies outside the file`),
    ...(found.end <= bytes.length ? [] : ["it ends behind its end"]),
    ...(isIncreasing(entries.flatMap(({ number }) => number ?? [])) ? [] : ["numbers do not grow"]),
    ...(isSorted(found.damage.map(({ offset }) => offset)) ? [] : ["damage is not told in the order of the file"]),
  ];
}

/** Opens it as a store, appends, and opens that again: nothing that could be read is lost on the way. */
export async function expectAppendable(bytes: Uint8Array): Promise<void> {
  const found = read(bytes);
  const store = MemoryStore.open(bytes, testRuntime());
  expect(store.bytes()).toEqual(bytes);

  const leaf = await store.leaf();
  const before = await store.branchEntries(leaf);
  const appended = { ...after(leaf), number: (await store.lastNumber()) + 1 };
  expect(await store.append([appended], { expectedLeaf: leaf })).toEqual({ type: "appended", leaf: appended.id });
  expect(await store.branchEntries(appended.id)).toEqual([...before, appended]);

  const again = MemoryStore.open(store.bytes(), testRuntime());
  expect(await again.leaf()).toBe(appended.id);
  expect(readableEntries(entriesIn(read(store.bytes())))).toEqual([...readableEntries(entriesIn(found)), appended]);
  expect((await again.branchEntries(appended.id)).map(normalizeGap)).toEqual([...before, appended].map(normalizeGap));
  if (found.needsRewrite) expect(again.header).toMatchObject({ version: 3, pith: { format: 1 } });
  else expect(store.bytes().subarray(0, found.end)).toEqual(bytes.subarray(0, found.end));
}

export function readableEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !isGap(entry));
}

// A rewritten file has a custom entry where a gap was.
function isGap(entry: Entry): boolean {
  return entry.type === "gap" || (entry.type === "custom" && entry.customType === "pith.gap");
}

function normalizeGap(entry: Entry): unknown {
  return isGap(entry) ? { gap: entry.id, parentId: entry.parentId } : entry;
}

function listFromRoots(entries: readonly Entry[]): readonly Entry[] {
  const { children } = buildTree(entries);
  const reached: Entry[] = [];
  const ahead = [...(children.get(null) ?? [])];
  for (let entry = ahead.pop(); entry && reached.length <= entries.length; entry = ahead.pop()) {
    reached.push(entry);
    for (const child of children.get(entry.id) ?? []) ahead.push(child);
  }
  return reached;
}

function isSorted(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => number >= (numbers[at - 1] ?? number));
}

function isIncreasing(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => number > (numbers[at - 1] ?? 0));
}

function after(parentId: string | null): Entry {
  return { type: "custom", id: "appended", parentId, timestamp: "2026-01-02T00:00:00.000Z", customType: "note" };
}
