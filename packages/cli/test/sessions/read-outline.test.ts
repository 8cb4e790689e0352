/** A tree is read piece by piece: the end of the way first. */

import type { Entry } from "@pith/context";
import type { Store } from "@pith/context/store";
import { expect, test } from "vitest";
import { readOutline } from "../../src/sessions/read-outline.ts";
import {
  createOutline,
  extendOutline,
  findRoots,
  type OutlineUpdate,
  toOutlineEntry,
} from "../../src/sessions/tree-outline.ts";
import { createStoryStore } from "../support/sample-sessions.ts";

const long = Array.from({ length: 1_500 }, (_, at) => `user: number ${at}`);

async function growthsOf(store: Store, most?: number): Promise<readonly OutlineUpdate[]> {
  const leaf = await store.leaf();
  const growths: OutlineUpdate[] = [];
  for await (const growth of readOutline({ store, leaf, ...(most !== undefined && { maxEntries: most }) }))
    growths.push(growth);
  return growths;
}

test("WLK15 the first part of the outline is the end of the current branch, and nothing else is read for it", async () => {
  const store = await createStoryStore(long);
  const calls: string[] = [];
  const counting = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        calls.push(String(name));
        return value.apply(target, given);
      };
    },
  });
  const leaf = await store.leaf();
  const growing = readOutline({ store: counting, leaf });
  const first = await growing.next();
  expect(first.value).toMatchObject({ status: "loading" });
  expect(calls.every((name) => name === "entry")).toBe(true);
  expect(calls.length).toBeLessThanOrEqual(300);
  await growing.return(undefined);
});

test("WLK15 the complete outline has every entry below its parent, for any tree", async () => {
  const lines = [
    ...long.slice(0, 700),
    "moves: e3",
    "user: aside",
    "says: yes",
    "moves: e701",
    "user: on",
    "moves: root",
  ];
  const store = await createStoryStore([...lines, "user: another beginning", "moves: e400", "user: last"]);
  const leaf = await store.leaf();
  let outline = createOutline(leaf);
  for (const growth of await growthsOf(store)) outline = extendOutline(outline, growth);
  expect(outline.status).toBe("complete");
  expect(outline.nodes.size).toBe(lines.length + 3);
  const ids: string[] = [];
  const waiting = [...findRoots(outline)];
  for (let twig = waiting.pop(); twig; twig = waiting.pop()) {
    ids.push(twig.id);
    waiting.push(...twig.children);
  }
  expect(new Set(ids).size).toBe(outline.nodes.size);
  expect(ids).toHaveLength(outline.nodes.size);
  const way = (await store.branchEntries(leaf)).map((entry: Entry) => entry.id);
  expect(new Set([...outline.nodes.values()].filter(({ isOnBranch }) => isOnBranch).map(({ id }) => id))).toEqual(
    new Set(way),
  );
  expect([...outline.nodes.values()].map(({ number }) => number)).toEqual([...outline.nodes.keys()].map((_, at) => at));
});

test("WLK15 a session that is too long is read up to the limit and marked as truncated", async () => {
  const pieces = await growthsOf(await createStoryStore(long), 600);
  expect(pieces.at(-1)?.status).toBe("truncated");
  expect(await growthsOf(await createStoryStore([]))).toMatchObject([
    { status: "loading" },
    { labels: new Map() },
    { status: "complete", groups: [] },
  ]);
});

test("WLK15 if the end of the branch is known, the first part needs no reading", async () => {
  const store = await createStoryStore(long);
  const leaf = await store.leaf();
  const { entries: near } = await store.loadBranch(leaf);
  const silent = new Proxy(store, {
    get: () => {
      throw new Error("nobody should have asked");
    },
  });
  const first = await readOutline({ store: silent, leaf, knownEntries: near }).next();
  expect((first.value as OutlineUpdate).groups).toHaveLength(300);
  // What does not lead to the leaf is not believed.
  const torn = [...near.slice(-20, -10), ...near.slice(-5)];
  const again = await readOutline({ store, leaf, knownEntries: torn }).next();
  expect((again.value as OutlineUpdate).groups).toHaveLength(5);
});

test("WLK15 each part of the outline is small, even late in a long session", async () => {
  const store = await createStoryStore(Array.from({ length: 9_000 }, (_, at) => `user: number ${at}`));
  const sizes = (await growthsOf(store)).map(({ groups }) => groups.flatMap(({ children }) => children).length);
  expect(Math.max(...sizes)).toBeLessThan(4_000);
});

test("WLK3 a tool result has the text of its call, in whichever order they are read", async () => {
  const store = await createStoryStore(["user: a", "calls: read path=src/a.ts", "fails: no such file"]);
  const [called, failed] = await Promise.all([store.entry("e2"), store.entry("e3")]);
  if (!called || !failed) throw new Error("the story is another one");
  const family = (entry: Entry) => ({ parentId: entry.parentId, children: [toOutlineEntry(entry)] });
  for (const order of [
    [called, failed],
    [failed, called],
  ]) {
    const growth: OutlineUpdate = { groups: order.map(family), top: null, status: "loading" };
    expect(extendOutline(createOutline("e3"), growth).nodes.get("e3")).toMatchObject({
      text: "read src/a.ts: no such file",
      searchText: "read src/a.ts: no such file",
    });
  }
});
