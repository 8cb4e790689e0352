/** Totals: what a session contains and has cost, across all its branches. */

import assert from "node:assert/strict";
import { type Entry, MemoryStore, Session } from "@pith/context";
import {
  addToTotals,
  COMPACTION_USAGE,
  RETRY_USAGE,
  sumUsage,
  usageOfEntry,
  zeroTotals,
  zeroUsage,
} from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";

const store = MemoryStore.create(nodeRuntime);
await store.append(story("user: Hello.", "says: Hi."), { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);

// #region zeroUsage
const two = { ...zeroUsage, input: 2, totalTokens: 2 }; // zero usage, as a starting point
// #endregion

// #region COMPACTION_USAGE
const unused = { type: "usage", kind: COMPACTION_USAGE, provider: "anthropic", model: "m", usage: two } as const;
await session.append(unused); // a summary that was paid for and not used
// #endregion

// #region RETRY_USAGE
await session.append({ ...unused, kind: RETRY_USAGE }); // a reply that broke off and was requested again
// #endregion

const entries = await session.branchEntries();

// #region addToTotals
const totals = entries.reduce(addToTotals, zeroTotals); // any entries in any order; a file: totalsOf(path)
console.log(totals.userMessages, totals.usage.input); // 1, 4
console.log(totals.spent.summaries.input, totals.spent.rest.input); // 2, 2
// #endregion

// #region zeroTotals
const empty = [].reduce(addToTotals, zeroTotals); // the initial value
// #endregion

// #region usageOfEntry
const paid = usageOfEntry(entries.at(-1) as Entry); // { for: "rest", usage: … }; null if the entry costs nothing
// #endregion

// #region sumUsage
const six = sumUsage([two, two, two]); // tokens and dollars; values that are not numbers count as 0
// #endregion

assert.equal(totals.userMessages, 1);
assert.equal(totals.usage.input, 4);
assert.equal(totals.spent.summaries.input, 2);
assert.equal(totals.spent.rest.input, 2);
assert.equal(empty, zeroTotals);
assert.equal(paid?.for, "rest");
assert.equal(six.input, 6);
