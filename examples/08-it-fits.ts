/** A session outgrows its context window: preview a compaction, compact without a model, undo it and redo it. */

import assert from "node:assert/strict";
import {
  buildSessionContext,
  compact,
  compactionDue,
  compactionLimits,
  createBudget,
  MemoryStore,
  pinText,
  previewCompaction,
  redoCompaction,
  Session,
  undoCompaction,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";

const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
const say = (content: string) =>
  session.append({ type: "message", message: { role: "user", content, timestamp: nodeRuntime.now() } });
const print = (content: string) =>
  session.append({ type: "custom_message", customType: "output", content, display: true });
const contextText = () => buildSessionContext(session.branch).messages;

await pinText(session, "Never change the lock file.");
await say("Make the tests pass, and use tabs.");
for (let step = 1; step <= 12; step++) await print(`step ${step}\n${"one more line of output\n".repeat(120)}`);
await say("Go on.");
const before = contextText();

// #region acts
const budget = createBudget(compactionLimits, { contextWindow: 8_000 });
console.log(compactionDue(session.branch, budget)); // { type: "due", why: "tokens", size: … }

const preview = previewCompaction(session.branch, budget); // changes nothing
if (preview.type === "planned") console.log(preview.summaryText, preview.receipt.tokens);

const outcome = await compact({ session, budget, reason: "asked", runtime: nodeRuntime });
if (outcome.type === "compacted") console.log(outcome.receipt);

await undoCompaction(session); // the context is what it was before
const undone = contextText();
await redoCompaction(session); // compacted again
// #endregion

assert.equal(outcome.type, "compacted");
assert.deepEqual(undone, before);
assert.equal(compactionDue(session.branch, budget).type, "not-due");
assert.match(JSON.stringify(contextText()[0]), /Never change the lock file.*Make the tests pass, and use tabs/s);
