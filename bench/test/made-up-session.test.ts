/** Tests that a generated session is a valid pi session with one branch and the requested shape. */

import { buildSessionContext, MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { generateSession } from "../src/made-up-session.ts";

const shape = { entries: 1000, compactions: 3, distance: 250, seed: 7 };
const bytes = (seed: number): Uint8Array =>
  new TextEncoder().encode([...generateSession({ ...shape, seed })].map((line) => `${line}\n`).join(""));

test("a generated session has the requested entries and compactions, and the context of the last compaction", async () => {
  const store = MemoryStore.open(bytes(7), nodeRuntime);
  const branch = await store.branchEntries(await store.leaf());
  expect(store.damage).toEqual([]);
  expect(branch).toHaveLength(1000);
  expect(branch.filter((entry) => entry.type === "compaction")).toHaveLength(3);
  const { messages } = buildSessionContext(await store.loadBranch(await store.leaf()));
  expect(messages.length).toBeGreaterThan(250);
  expect(messages.length).toBeLessThan(280);
});

test("an entry of a generated session has about two kilobytes, and the same seed generates the same file", () => {
  expect(bytes(7).length / 1000).toBeGreaterThan(1700);
  expect(bytes(7).length / 1000).toBeLessThan(2500);
  expect(bytes(7)).toEqual(bytes(7));
  expect(bytes(8)).not.toEqual(bytes(7));
});
