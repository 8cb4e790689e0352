/** Outlines from stories, for tests of what is drawn of them. */

import { MemoryStore, type Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { readOutline } from "../../src/sessions/read-outline.ts";
import { createOutline, extendOutline, type Outline } from "../../src/sessions/tree-outline.ts";

/** Two ways to mend a login: the first was left, the second goes on, and a third hangs on the first. */
export const twoTries: readonly string[] = [
  "user: fix the login",
  "says: I look at the login first.",
  "user: try A",
  "calls: read path=src/login.ts",
  "result: export function login() {}",
  "says: A failed: the token is gone before the redirect.",
  "moves: e3",
  "user: try A once more, with a lock",
  "says: The lock does not help.",
  "moves: e2",
  "user: try B",
  "calls: edit path=src/login.ts",
  "fails: the old text is not there",
  "says: B works.",
  "labels e14: good",
];

export async function createTestOutline(lines: readonly string[]): Promise<Outline> {
  const store = await createStoryStore(lines);
  const leaf = await store.leaf();
  let outline = createOutline(leaf);
  for await (const growth of readOutline({ store, leaf })) outline = extendOutline(outline, growth);
  return outline;
}

/** Each entry seven minutes after the one before it, the last one now. */
export async function createStoryStore(lines: readonly string[], now: number = Date.now()): Promise<Session["store"]> {
  const store = MemoryStore.create(nodeRuntime, { cwd: "/work" });
  const entries = story(...lines);
  for (const [at, entry] of entries.entries()) {
    const timestamp = new Date(now - (entries.length - 1 - at) * 7 * 60_000).toISOString();
    await store.append([{ ...entry, timestamp }], { expectedLeaf: await store.leaf() });
  }
  return store;
}
