/** Hooks: functions that run before and after a compaction, a move in the tree and a request. One that throws or hangs does no harm. */

import assert from "node:assert/strict";
import {
  applyContextHooks,
  buildSessionContext,
  type CompactionHooks,
  type ContextHooks,
  compact,
  compactionLimits,
  createBudget,
  MemoryStore,
  moveTo,
  Session,
  type TreeHooks,
} from "@pith/context";
import {
  continueOnFailure,
  createHookEntryParser,
  createPausableSleep,
  hookTokenAllowance,
  isEditable,
  POSTPONE_TYPE,
  parseDetails,
  parseUsage,
  reportHookFailure,
  runGuarded,
  runHooks,
  timeouts,
} from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { show, story } from "@pith/context/testing";

const output = "one more line of output\n".repeat(120);
const steps = Array.from({ length: 8 }, (_, at) => [`calls: bash command=step-${at + 1}`, `result: ${output}`]);
const store = MemoryStore.create(nodeRuntime);
await store.append(story("user: Use tabs.", ...steps.flat(), "says: Done.", "user: Go on."), { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);
const budget = createBudget(compactionLimits, { contextWindow: 8_000 });

// #region CompactionHooks
const reminder = { type: "custom_message", customType: "reminder", content: "Run the tests.", display: true } as const;
const hooks: CompactionHooks = {
  session_before_compact: [({ reason }) => (reason === "threshold" ? { postpone: true } : undefined)],
  session_compact: [() => ({ entries: [reminder] })], // appended right after the compaction
  report: ({ event, why }) => console.error(`${event}: ${why}`), // called for a hook that throws, hangs or returns an invalid result
};
const first = await compact({ session, budget, reason: "due", hooks, runtime: nodeRuntime }); // { type: "postponed" }
const second = await compact({ session, budget, reason: "due", hooks, runtime: nodeRuntime }); // "compacted": it can be postponed only once
// #endregion

// #region POSTPONE_TYPE
const entries = await session.branchEntries(); // the postponement is in the log, so it counts after a restart too
const waits = entries.filter((entry) => entry.type === "custom" && entry.customType === POSTPONE_TYPE).length; // 1
// #endregion
const last = show(buildSessionContext(session.branch).messages).split("\n").at(-1);

// #region ContextHooks
const contextHooks: ContextHooks = {
  context: [({ messages }) => ({ messages: messages.filter(({ role }) => role !== "toolResult") })],
  onFailure: "cancel", // for a hook that protects secrets: no request is better than one without it
};
// #endregion

// #region applyContextHooks
const context = buildSessionContext(session.branch);
const hooked = await applyContextHooks(context, { hooks: contextHooks, runtime: nodeRuntime });
if (hooked.type === "ready") console.log(hooked.context.messages.length); // fewer; the log does not change
// #endregion

// #region TreeHooks
const treeHooks: TreeHooks = {
  session_before_tree: [({ preparation }) => ({ label: `left ${preparation.entriesToSummarize.length} entries` })],
  session_tree: [({ oldLeafId, newLeafId }) => console.log(`from ${oldLeafId} to ${newLeafId}`)],
};
const moved = await moveTo({ session, target: "e1", budget, hooks: treeHooks, runtime: nodeRuntime }); // { type: "moved", … }
// #endregion

// #region runHooks
const save = { save: [() => ({ name: "draft" }), () => Promise.reject(new Error("no"))] }; // your own hooks
const results = await runHooks(save.save, () => ({ type: "save" }), {
  host: { report: ({ event, why }) => console.error(`${event}: ${why}`) }, // called for the hook that throws
  runtime: nodeRuntime,
  read: (result) => (typeof Object(result).name === "string" ? String(Object(result).name) : null),
});
// heard.answers: ["draft"]; it never throws, and waits at most 30 s for each
// #endregion

// #region continueOnFailure
const host = continueOnFailure({ onFailure: "cancel" }); // for something that has already happened: "go-on", whatever the host wants
// #endregion

// #region reportHookFailure
reportHookFailure({ report: ({ why }) => console.error(why) }, { event: "save", why: "its name is no text" }); // never throws
// #endregion

// #region createPausableSleep
const sleep = createPausableSleep({ isWaitingForUser: () => false }, nodeRuntime); // a timer that restarts while a question to the user is open
await sleep(1, {});
// #endregion

// #region timeouts
const seconds = timeouts.hook / 1000; // 30: how long a hook may take
// #endregion

// #region runGuarded
const act = await runGuarded(() => Promise.reject(new Error("no disk"))); // { type: "failed", why: "no disk" }
// #endregion

// #region hookTokenAllowance
const room = hookTokenAllowance(session, budget); // tokens that hooks may add here
// #endregion

// #region createHookEntryParser
const adding = createHookEntryParser(room); // shared by all hooks of one action
const added = adding({ entries: [reminder] }); // as it would be written; throws if it is invalid or too long
// #endregion

// #region parseDetails
const details = parseDetails({ at: new Date(0) }); // { at: "1970-01-01T00:00:00.000Z" }; throws if it is not JSON
// #endregion

// #region parseUsage
const usage = parseUsage({ input: -1 }); // null: usage cannot be negative
// #endregion

// #region isEditable
const editable = entries.filter(isEditable).length; // entries whose content a context edit can change
// #endregion

assert.deepEqual(first, { type: "postponed" });
assert.equal(second.type, "compacted");
assert.equal(waits, 1);
assert.match(last ?? "", /^\d+ custom {4}Run the tests\.$/);
assert.ok(hooked.type === "ready" && hooked.context.messages.length < context.messages.length);
assert.equal(moved.type, "moved");
assert.deepEqual(results.answers, ["draft"]);
assert.deepEqual([host.onFailure, seconds, act.type, usage], ["go-on", 30, "failed", null]);
assert.deepEqual(added?.length, 1);
assert.ok(details && editable > 0);
