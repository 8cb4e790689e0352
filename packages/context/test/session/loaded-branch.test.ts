/** Tests which entries of a branch are loaded, and the state from the entries before. */

import { expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import {
  appendToBranch,
  branchLeaf,
  type LoadedBranch,
  loadBranch,
  loadBranchFrom,
} from "../../src/session/loaded-branch.ts";
import { story } from "../../src/testing/story.ts";
import { ancestors, branchEntries, buildTree } from "../../src/tree.ts";

const branch = story(
  "model: a/one",
  "thinking: high",
  "user: one",
  "says: two",
  "user: three",
  "compacts: short, keeps e5",
  "user: four",
  "compacts: shorter, keeps e7",
  "user: five",
);
const ids = (window: LoadedBranch): string => window.entries.map(({ id }) => id).join(" ");

test("WIN1 a loaded branch begins with the first entry that the newest compaction keeps", () => {
  expect(ids(loadBranch(branch.slice(0, 5)))).toBe("e1 e2 e3 e4 e5");
  expect(ids(loadBranch(branch.slice(0, 7)))).toBe("e5 e6 e7");
  expect(ids(loadBranch(branch))).toBe("e7 e8 e9");
  expect(loadBranch(branch).reachesRoot).toBe(false);
  expect(loadBranch(branch.slice(0, 5)).reachesRoot).toBe(true);
});

test("WIN1 appending entry by entry gives the same result as loading the whole branch", () => {
  let window = loadBranch([]);
  for (const [at, entry] of branch.entries()) {
    window = appendToBranch(window, [entry]);
    expect(window).toEqual(loadBranch(branch.slice(0, at + 1)));
    expect(branchLeaf(window)).toBe(entry.id);
  }
});

test("WIN1 loading from the leaf gives the same result and reads no further than needed", () => {
  const pins = [{ id: "e0", text: "keep to it" }];
  const queue = [{ id: "m1", kind: "steer", content: "and mind the tests" }];
  const model = { provider: "b", modelId: "two" };
  const carried = { model, thinkingLevel: "low", activeTools: ["read"], pins, queue };
  const marked = branch.map((entry) =>
    entry.id === "e8" ? ({ ...entry, details: { pith: { carried } } } as Entry) : entry,
  );
  const read: string[] = [];
  const watched = function* (entries: Iterable<Entry>): Generator<Entry> {
    for (const entry of entries) {
      read.push(entry.id);
      yield entry;
    }
  };
  const tree = buildTree(marked);
  const window = loadBranchFrom(watched(ancestors(tree, "e9")));
  expect(window.entries).toEqual(loadBranch(branchEntries(tree, "e9")).entries);
  expect(read).toEqual(["e9", "e8", "e7"]);
  expect(window.state).toEqual(carried);
});

test.each([{}, 5, null, { thinkingLevel: "low" }, { model: {}, thinkingLevel: "low", activeTools: null }])(
  "WIN2 an incomplete stored state is ignored: %j",
  (carried) => {
    const marked = branch.map((entry) =>
      entry.id === "e8" ? ({ ...entry, details: { pith: { carried } } } as Entry) : entry,
    );
    expect(loadBranchFrom(ancestors(buildTree(marked), "e9")).state).toEqual(loadBranch(branch).state);
  },
);

test("WIN2 state that was set before the loaded branch is included; the model is that of the last reply", () => {
  const [tools] = story("user: x").map(
    (entry) => ({ ...entry, type: "active_tools_change", activeToolNames: ["read"] }) as unknown as Entry,
  );
  const { state } = loadBranch(tools ? [tools, ...branch] : branch);
  expect(state).toEqual({
    model: { provider: "anthropic", modelId: "storyteller" },
    thinkingLevel: "high",
    activeTools: ["read"],
    pins: [],
    queue: [],
  });
});

test("WIN2 a model that was chosen after the last reply is the model", () => {
  const { state } = loadBranch(story("user: one", "says: two", "model: elsewhere/stranger"));
  expect(state.model).toEqual({ provider: "elsewhere", modelId: "stranger" });
});
