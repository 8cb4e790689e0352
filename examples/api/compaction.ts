/** Compaction: whether it is due, a preview, compacting, the receipt, undo and redo, and the breaker. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  buildSessionContext,
  compact,
  compactionDue,
  compactionLimits,
  createBudget,
  defaultParts,
  MemoryStore,
  pinText,
  prepareCompaction,
  previewCompaction,
  readReceipt,
  redoCompaction,
  Session,
  type SummaryPart,
  undoCompaction,
} from "@pith/context";
import {
  breakerNotes,
  computeReplyBudget,
  createSummaryTimeouts,
  fitsWithoutCounting,
  measureInSteps,
} from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel, story } from "@pith/context/testing";

// A session that has outgrown an 8,000-token window: two requests, and twelve long outputs between them.
const output = "one more line of output\n".repeat(120);
const steps = Array.from({ length: 12 }, (_, at) => [`calls: bash command=step-${at + 1}`, `result: ${output}`]);
const store = MemoryStore.create(nodeRuntime);
await store.append(story("user: Use tabs.", ...steps.flat(), "says: Done.", "user: Go on."), { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);
const before = buildSessionContext(session.branch).messages;
const entries = await session.branchEntries();
const record =
  "## Original Request\n- Use tabs. [#1]\n\n## Early Progress\n- step-1 was run [#2]\n\n## Context for Suffix\n- (none)";
const model = Object.assign(scriptedModel(record), { runtime: nodeRuntime }); // a model from openModel (@pith/models) already has a clock

// #region compactionLimits
const limits = { ...compactionLimits, thresholds: [{ percent: 80 }, { tokens: 50_000, agent: "reviewer" }] };
// thresholds: 80% of the window, or 50,000 tokens for an agent called "reviewer"; everything else has its default
// #endregion

// #region createSummaryTimeouts
const patient = { ...limits, summaryTime: createSummaryTimeouts(20 * 60_000) }; // for a local model: 20 minutes until the first token
// #endregion
assert.equal(patient.summaryTime.attempt, 25 * 60_000);

// #region createBudget
const budget = createBudget(limits, { contextWindow: 8_000 }); // the limits, computed for one model's window
const { limit, tail, userMessages: words } = budget; // the threshold is 6400 tokens; 1600 are kept unchanged, 800 are for the user's messages
// #endregion

// #region compactionDue
const answer = compactionDue(session.branch, budget); // before every request
if (answer.type === "due") console.log(answer.why, answer.size.tokens); // "tokens", 10065: above the threshold
// #endregion

// #region computeReplyBudget
const roomy = createBudget(limits, { contextWindow: 32_000 });
const room = computeReplyBudget(session.branch, { budget: roomy, maxTokens: 8_000 });
// { tokens: 8000, reserve: 6400 }: for `buildRequest`, so that the reply can be as long as the window allows
// #endregion
assert.deepEqual(room, { tokens: 8_000, reserve: 6_400 });

// #region fitsWithoutCounting
const isSmall = fitsWithoutCounting(session.branch, budget); // false: count it; true is always right and costs nothing
// #endregion

// #region measureInSteps
for (const _ of measureInSteps(session.branch)) await setImmediate(); // after opening, so that a long session's first plan is fast
// #endregion

// #region defaultParts
const tickets: SummaryPart = {
  kind: "example.tickets",
  collect: () => null,
  render: () => "# Open tickets\n- LOGIN-1",
};
const partsPreview = previewCompaction(session.branch, budget, { reason: "asked", parts: [...defaultParts, tickets] }); // the summary message ends with the tickets
// #endregion

assert.ok(partsPreview.type !== "planned" || partsPreview.summaryText.endsWith("# Open tickets\n- LOGIN-1"));

// #region previewCompaction
const preview = previewCompaction(session.branch, budget); // changes nothing, calls no model
if (preview.type === "planned") {
  console.log(preview.receipt.tokens); // { before: 10065, after: 1141, limit: 6400 }
  console.log(preview.summaryText); // what the model would see first: user messages, summary, files, test results
}
// #endregion

// #region compact
const outcome = await compact({ session, budget, reason: "asked", runtime: nodeRuntime }); // add `summarizers` for a summary by a model
if (outcome.type === "compacted") console.log(outcome.receipt.tokens.after); // 1141: it fits again
if (outcome.type === "failed" && outcome.why === "cannot-fit") console.log(outcome.breaker.fills); // what fills the window
const settings = { enabled: true, reserveTokens: 2_000, keepRecentTokens: 1_000 };
const preparation = prepareCompaction(entries, settings); // pi's calls: they write nothing, and a model writes the summary
const result = preparation && (await compact(preparation, model)); // { summary, firstKeptEntryId, tokensBefore, details }
// #endregion

// #region readReceipt
const newest = session.branch.entries[session.branch.compactionIndex];
const receipt = newest?.type === "compaction" ? readReceipt(newest) : null; // stored in the entry, so it can be read later
console.log(receipt?.covered.count, receipt?.route, receipt?.cost, receipt?.findings); // 23, "model-free", 0, []
// #endregion

// #region undoCompaction
const undone = await undoCompaction(session); // { type: "undone", leaf: … }: the context is the same as before, byte for byte
// #endregion
const after = buildSessionContext(session.branch).messages;

// #region redoCompaction
const redone = await redoCompaction(session); // { type: "redone", leaf: … }: compacted again
// #endregion

const pinned = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
await pinText(pinned, "Never change the lock file. ".repeat(1_500));

// #region breakerNotes
const stuck = await compact({ session: pinned, budget, reason: "due", runtime: nodeRuntime }); // nothing can be summarized: everything is pinned
const breaker = stuck.type === "failed" && stuck.why === "cannot-fit" ? stuck.breaker : null; // { fills: "pins", tokens: 10065, limit: 6400 }
const advice = breaker && breakerNotes[breaker.fills]; // "the pins alone fill the context window; remove some, or …"
// #endregion

assert.equal(isSmall, false);
assert.deepEqual({ limit, tail, words }, { limit: 6_400, tail: 1_600, words: 800 });
assert.ok(answer.type === "due" && answer.why === "tokens" && answer.size.tokens === 10_065);
assert.ok(preview.type === "planned" && outcome.type === "compacted");
assert.deepEqual(preview.receipt.tokens, { before: 10_065, after: 1_143, limit: 6_400 });
assert.deepEqual(outcome.receipt.tokens, preview.receipt.tokens);
assert.deepEqual(receipt, outcome.receipt);
assert.match(result?.summary ?? "", /## Early Progress\n- step-1 was run\n/);
assert.equal(result?.firstKeptEntryId, preparation?.firstKeptEntryId);
assert.deepEqual([receipt?.covered.count, receipt?.route, receipt?.cost, receipt?.findings], [23, "model-free", 0, []]);
assert.deepEqual([undone.type, redone.type], ["undone", "redone"]);
assert.deepEqual(after, before);
assert.deepEqual(breaker, { fills: "pins", tokens: 10_065, limit: 6_400 });
assert.match(advice ?? "", /^the pins alone fill the context window; remove some, or /);
