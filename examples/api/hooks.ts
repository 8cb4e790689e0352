/** Hooks: a host's say before and after a compaction, a move and a request. One that throws or hangs spoils nothing. */

import assert from "node:assert/strict";
import {
  budgetFor,
  buildSessionContext,
  type CompactionHooks,
  type ContextHooks,
  compact,
  compactionLimits,
  hookedContext,
  MemoryStore,
  moveTo,
  POSTPONED,
  Session,
  type TreeHooks,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { show, story } from "@pith/context/testing";

const output = "one more line of output\n".repeat(120);
const steps = Array.from({ length: 8 }, (_, at) => [`calls: bash command=step-${at + 1}`, `result: ${output}`]);
const store = MemoryStore.create(machine);
await store.append(story("user: Use tabs.", ...steps.flat(), "says: Done.", "user: Go on."), { expectedLeaf: null });
const session = await Session.open(store, machine);
const budget = budgetFor(compactionLimits, { contextWindow: 8_000 });

// #region CompactionHooks
const reminder = { type: "custom_message", customType: "reminder", content: "Run the tests.", display: true } as const;
const hooks: CompactionHooks = {
  session_before_compact: [({ reason }) => (reason === "threshold" ? { postpone: true } : undefined)],
  session_compact: [() => ({ entries: [reminder] })], // stands behind the compaction before anybody goes on
  report: ({ event, why }) => console.error(`${event}: ${why}`), // of a hook that throws, hangs or answers nonsense
};
const first = await compact({ session, budget, reason: "due", hooks, ports: machine }); // { type: "postponed" }
const second = await compact({ session, budget, reason: "due", hooks, ports: machine }); // "compacted": it waits once
// #endregion

// #region POSTPONED
const entries = await session.branch(); // the wish to wait is in the log, so it counts after a restart too
const waits = entries.filter((entry) => entry.type === "custom" && entry.customType === POSTPONED).length; // 1
// #endregion
const last = show(buildSessionContext(session.window).messages).split("\n").at(-1);

// #region ContextHooks
const contextHooks: ContextHooks = {
  context: [({ messages }) => ({ messages: messages.filter(({ role }) => role !== "toolResult") })],
  onFailure: "cancel", // for a hook that keeps secrets: rather no request than one without it
};
// #endregion

// #region hookedContext
const context = buildSessionContext(session.window);
const hooked = await hookedContext(context, { hooks: contextHooks, ports: machine });
if (hooked.type === "hooked") console.log(hooked.context.messages.length); // fewer; what is in the log stays there
// #endregion

// #region TreeHooks
const treeHooks: TreeHooks = {
  session_before_tree: [({ preparation }) => ({ label: `left ${preparation.entriesToSummarize.length} entries` })],
  session_tree: [({ oldLeafId, newLeafId }) => console.log(`from ${oldLeafId} to ${newLeafId}`)],
};
const moved = await moveTo({ session, target: "e1", budget, hooks: treeHooks, ports: machine }); // { type: "moved", … }
// #endregion

assert.deepEqual(first, { type: "postponed" });
assert.equal(second.type, "compacted");
assert.equal(waits, 1);
assert.match(last ?? "", /^\d+ custom {4}Run the tests\.$/);
assert.ok(hooked.type === "hooked" && hooked.context.messages.length < context.messages.length);
assert.equal(moved.type, "moved");
