/** Sessions: opening, appending, going back, reading, and handling refusals. */

import assert from "node:assert/strict";
import { MemoryStore, refusalNotes, Session } from "@pith/context";
import { MOVE_TYPE, QUEUE_TYPE, UNQUEUE_TYPE } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";

// #region MemoryStore
const memory = MemoryStore.create(nodeRuntime, { cwd: "/project" }); // a new session, without a disk
const again = MemoryStore.open(memory.bytes(), nodeRuntime); // from the bytes of any file that pi or Pith wrote
console.log(again.damage); // [] if the file is intact; otherwise the damage, line by line
// #endregion

// #region Session
const session = await Session.open(memory, nodeRuntime);
const say = (content: string) =>
  session.append({ type: "message", message: { role: "user", content, timestamp: nodeRuntime.now() } });

await say("Make the parser faster.");
const start = session.leaf; // the id of the last entry
await say("Try a cache.");
await session.move(start); // goes back; nothing is removed
const outcome = await say("Try an index."); // { type: "appended", leaf: … }: a second branch
// #endregion

// #region refusalNotes
const added = await say("Go on."); // a full disk or a lost lease is an outcome; it does not throw
if (added.type === "refused") console.error(refusalNotes[added.why]); // e.g. "the disk is full; free some space …"
if (added.type === "leaf-moved") await session.refresh(); // another writer appended entries: check them, then append again
// #endregion

// #region Store
const store: Store = session.store; // memory, a file or a database: all have the same interface
const branches = await store.children(start); // two: "Try a cache.", and the move, followed by "Try an index."
const all = await store.branchEntries(session.leaf); // from the root to here, however long
const parent = await store.commonAncestor(branches[0]?.id ?? null, session.leaf); // start
// #endregion

// #region MOVE_TYPE
const [, move] = branches; // a move is an entry too: { type: "custom", customType: "pith.leaf", … }
const isMove = move?.type === "custom" && move.customType === MOVE_TYPE; // true
// #endregion

// #region QUEUE_TYPE
const data = { id: "m1", kind: "followUp", content: "Then write the tests." }; // queued; its message will have this `id`
await session.append({ type: "custom", customType: QUEUE_TYPE, data });
const waiting = session.branch.state.queue.length; // 1, even after a crash or a compaction
// #endregion

// #region UNQUEUE_TYPE
await session.append({ type: "custom", customType: UNQUEUE_TYPE, data: { ids: ["m1"] } });
const left = session.branch.state.queue.length; // 0: withdrawn before it was delivered
// #endregion

assert.deepEqual([waiting, left], [1, 0]);
assert.deepEqual(again.damage, []);
assert.equal(outcome.type, "appended");
assert.deepEqual([branches.length, all.length, parent, isMove], [2, 4, start, true]);
assert.equal(added.type, "appended");
