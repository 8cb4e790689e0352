/** Branches: going back with a summary of the branch you leave, and the three steps that create it. */

import assert from "node:assert/strict";
import {
  collectEntriesForBranchSummary,
  compactionLimits,
  createBudget,
  generateBranchSummary,
  MemoryStore,
  moveTo,
  prepareBranchEntries,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel, story } from "@pith/context/testing";

const store = MemoryStore.create(nodeRuntime);
const branchEntries = story(
  "user: Make the parser faster.",
  "says: How?",
  "user: Try a cache.",
  "calls: bash command=make",
  "fails: error: cache.ts: the cache is never hit",
  "says: The cache is never hit.",
);
await store.append(branchEntries, { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);
const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

// A model's answer: the numbers in brackets are the entries it was shown, here 3 to 6.
const record = `## Goal
- Try a cache. [#3]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] ran make [#4]

### In Progress
- (none)

### Blocked
- The cache is never hit. [#5, #6]

## Key Decisions
- (none)

## Next Steps
1. (none)`;
const model = scriptedModel(record, record, record);

// #region moveTo
const outcome = await moveTo({ session, target: "e2", budget, summary: { models: [model] }, runtime: nodeRuntime });
if (outcome.type === "moved") console.log(outcome.summary?.summary); // the summary; the model sees it from now on
if (outcome.type === "failed" && outcome.why === "summary") console.log(outcome.failures); // you stay where you were
if (outcome.type === "refused") console.log(outcome.why); // "streaming" or "compacting": try again when that is done
// #endregion

// #region collectEntriesForBranchSummary
const left = await collectEntriesForBranchSummary(session.store, "e6", "e2");
const ids = left.entries.map(({ id }) => id); // ["e3", "e4", "e5", "e6"]: what going from e6 to e2 leaves behind
const fork = left.commonAncestorId; // "e2"
// #endregion

// #region prepareBranchEntries
const { entries, omittedIds: leftOut } = prepareBranchEntries(left, { tokens: 30 }); // the newest that fit in 30 tokens
const fitting = entries.map(({ id }) => id); // ["e6"]; leftOut is ["e3", "e4", "e5"]: a call stays with its result
const { messages, fileOps } = prepareBranchEntries(left.entries, 30); // pi's call: messages, and files as sets
// #endregion

// #region generateBranchSummary
const result = await generateBranchSummary({
  models: [model],
  oldBranch: left,
  tokens: budget.branchSummary,
  runtime: nodeRuntime,
});
if (result.type === "summarized") console.log(result.summary.summary); // "## Goal\n- Try a cache. [#3] …", then the facts that Pith recorded
if (result.type === "failed") console.log(result.failures); // each model, and why it could not be used
const asPi = await generateBranchSummary(left.entries, { model: Object.assign(model, { runtime: nodeRuntime }) }); // pi's call
console.log(asPi.summary, asPi.readFiles, asPi.modifiedFiles, asPi.error); // error says why there is no summary
// #endregion

assert.deepEqual([ids, fork], [["e3", "e4", "e5", "e6"], "e2"]);
assert.deepEqual([fitting, leftOut], [["e6"], ["e3", "e4", "e5"]]);
assert.deepEqual([messages.length, fileOps.read.size], [1, 0]);
assert.deepEqual([asPi.error, asPi.readFiles], [undefined, []]);
assert.ok(result.type === "summarized" && outcome.type === "moved");
assert.match(result.summary.summary, /^## Goal\n- Try a cache\. \[#3\]\n[\s\S]*the cache is never hit/);
assert.equal(outcome.summary?.summary, result.summary.summary);
assert.equal(outcome.summary?.parentId, "e2");
