/** Trees and loaded branches: which entry follows which, and the loaded end of a branch that every context is built from. */

import assert from "node:assert/strict";
import {
  appendToBranch,
  branchEntries,
  buildTree,
  commonAncestor,
  decideAppend,
  listAppendLookups,
  loadBranch,
  loadBranchFrom,
  reduceState,
} from "@pith/context/store";
import { story } from "@pith/context/testing";

// #region buildTree
const entries = story("user: Make it faster.", "says: With a cache?", "moves: e1", "says: With an index?");
const tree = buildTree(entries);
const children = tree.children.get("e1")?.map(({ id }) => id); // ["e2", "e3"]: the session forks at e1
// #endregion

// #region branchEntries
const path = branchEntries(tree, "e4").map(({ id }) => id); // ["e1", "e3", "e4"]
// #endregion

// #region commonAncestor
const fork = commonAncestor(tree, "e2", "e4"); // "e1"
// #endregion

// #region loadBranch
const long = story("user: One.", "says: Two.", "compacts: We count., keeps e2", "thinking: high", "user: Three.");
const window = loadBranch(long);
const loaded = window.entries.map(({ id }) => id); // ["e2", "e3", "e4", "e5"]: the compaction covers e1
const level = window.state.thinkingLevel; // "high": the level at the leaf, wherever it was set
// #endregion

// #region loadBranchFrom
const upwards = long.toReversed(); // from the leaf to the root; reads only as far as needed
const quick = loadBranchFrom(upwards, { requireState: false }); // stops at e2, the first kept entry …
const isSettled = quick.isStateComplete; // false: … so a model set before e2 is not known yet
// #endregion

// #region appendToBranch
const [next] = story("user: Four.").map((entry) => ({ ...entry, id: "e6", parentId: "e5" }));
const longer = next ? appendToBranch(window, [next]) : window; // without reading the rest again
// #endregion

// #region reduceState
const state = story("model: anthropic/claude", "thinking: low", "thinking: high").reduce(
  reduceState,
  loadBranch([]).state, // the state before the first entry
);
// { model: { provider: "anthropic", modelId: "claude" }, thinkingLevel: "high", activeTools: null, pins: [], queue: [] }
// #endregion

// #region listAppendLookups
const [label] = story("user: Hello.", "labels e1: start")
  .slice(1)
  .map((entry) => ({ ...entry, id: "e9", parentId: "e4", number: 5 }));
const batch = label ? [label] : [];
const guard = { expectedLeaf: "e4" };
const lookups = listAppendLookups(batch, guard); // { ids: ["e9"], references: ["e1"], … }: what your store reads
// #endregion

// #region decideAppend
const facts = {
  ...{ leaf: "e4", lastNumber: 4 },
  existing: new Set(lookups.references.filter((id) => tree.entries.has(id))),
  ...{ stored: new Map(), onBranch: new Map() },
};
const decision = decideAppend(batch, guard, facts); // { type: "write", texts: [one line of JSON] }
const outdated = decideAppend(batch, guard, { ...facts, leaf: "e8" }); // { type: "leaf-moved", leaf: "e8" }
// #endregion

assert.deepEqual([children, path, fork], [["e2", "e3"], ["e1", "e3", "e4"], "e1"]);
assert.deepEqual([loaded, level], [["e2", "e3", "e4", "e5"], "high"]);
assert.deepEqual([quick.entries.length, isSettled], [4, false]);
assert.equal(longer.entries.length, 5);
assert.deepEqual(state, {
  ...{ model: { provider: "anthropic", modelId: "claude" }, thinkingLevel: "high" },
  ...{ activeTools: null, pins: [], queue: [] },
});
assert.deepEqual(lookups, { ids: ["e9"], references: ["e1"], branchReferences: [], parentId: "e4" });
assert.deepEqual([decision.type, outdated], ["write", { type: "leaf-moved", leaf: "e8" }]);
assert.throws(
  () => decideAppend(batch, guard, { ...facts, existing: new Set() }),
  /^Error: entry e9 labels e1, which is not in this session$/,
);
