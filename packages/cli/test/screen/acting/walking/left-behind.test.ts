/** What a move leaves, and that nobody waits for it. */

import { Session } from "@pith/context";
import { machine } from "@pith/context/node";
import { expect, test } from "vitest";
import type { Talking } from "../../../../src/screen/acting/talking.ts";
import { go } from "../../../../src/screen/acting/walking/go.ts";
import { leftBehind } from "../../../../src/screen/acting/walking/left-behind.ts";
import { nothingShown, type ScreenState } from "../../../../src/screen/state/screen-state.ts";
import { storeOf, twoTries } from "../../panels/walking/outlines.ts";

async function leftFor(lines: readonly string[], id: string) {
  const store = await storeOf(lines);
  const session = await Session.open(store, machine);
  const target = await store.entry(id);
  if (!target) throw new Error(`${id} is not in the story`);
  const silent = { store: { commonAncestor: store.commonAncestor.bind(store) }, leaf: session.leaf };
  // Nothing else is read.
  return await leftBehind(target, { ...silent, window: session.window } as unknown as Session);
}

test("WLK7 what is left is counted without reading anything: what stands behind the place where the ways part", async () => {
  expect(await leftFor(twoTries, "e6")).toEqual({ count: 4, isHere: false });
  expect(await leftFor(twoTries, "e14")).toEqual({ count: 0, isHere: true });
  expect(await leftFor(twoTries, "e1")).toEqual({ count: 6, isHere: false });
});

test("WLK6 before a compaction one does not stand already", async () => {
  const lines = ["user: a", "says: b", "user: c", "says: d", "compacts: so far, keeps e3"];
  expect(await leftFor(lines, "e4")).toEqual({ count: 1, isHere: false });
  expect(await leftFor(lines, "e5")).toEqual({ count: 0, isHere: true });
});

test("WLK8 where a move breaks off in a way nobody foresaw, no summary is said to be under way for ever", async () => {
  const session = await Session.open(await storeOf(twoTries), machine);
  let state: ScreenState = nothingShown;
  const works: string[] = [];
  const screen = {
    ask: async () => "tell",
    change: (change: (known: ScreenState) => ScreenState) => {
      state = change(state);
      works.push(state.work.type);
    },
  };
  const navigateTree = async () => {
    throw new Error("the disk melted");
  };
  const agent = { session, isRunning: false, navigateTree, previewFiles: async () => [] };
  const desk = { choices: {}, sessionPath: null };
  const talking = { ready: { built: { agent, missing: null } }, desk, screen } as unknown as Talking;
  await expect(go("e6", talking)).rejects.toThrow("the disk melted");
  expect(works).toEqual(["summarising", "idle"]);
});
