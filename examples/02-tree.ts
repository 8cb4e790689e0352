/** The first five minutes: a session is a tree of entries, and the context is built from one branch. */

import assert from "node:assert/strict";
// #region screen
import { buildSessionContext, convertToLlm, MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { show } from "@pith/context/testing";

// A session in memory. A file or a database is another store with the same interface.
const store = MemoryStore.create(nodeRuntime, { cwd: "/project" });
const session = await Session.open(store, nodeRuntime);
const say = (content: string) =>
  session.append({ type: "message", message: { role: "user", content, timestamp: nodeRuntime.now() } });
const contextText = () => show(convertToLlm(buildSessionContext(session.branch).messages));

// Messages are appended; the last entry is the leaf.
await say("Make the parser faster.");
const start = session.leaf;
await say("Try a cache.");
const cached = contextText();

// Going back and sending something else creates a second branch. Nothing is removed.
await session.move(start);
await say("Try an index.");
const indexed = contextText();

// A compaction is an entry too: from here on, the model sees its summary and the entries it keeps …
const kept = session.leaf ?? "";
await session.append({ type: "compaction", summary: "It is about speed.", firstKeptEntryId: kept, tokensBefore: 12 });
const compacted = contextText();

// … and going back to an entry before it undoes it.
await session.move(kept);
const undone = contextText();

// The whole session is one file. Any session that pi or Pith wrote can be opened; damage is reported, never thrown.
const again = MemoryStore.open(store.bytes(), nodeRuntime);
console.log(
  `${again.damage.length} lines are damaged, ${(await again.branchEntries(await again.leaf())).length} entries lead here`,
);
// #endregion

for (const [title, view] of Object.entries({ cached, indexed, compacted, undone })) console.log(`\n${title}:\n${view}`);

assert.deepEqual(cached.split("\n"), ["0 user      Make the parser faster.", "1 user      Try a cache."]);
assert.deepEqual(indexed.split("\n"), ["0 user      Make the parser faster.", "1 user      Try an index."]);
assert.match(compacted, /<summary> It is about speed\. <\/summary>\n1 user {6}Try an index\.$/);
assert.equal(undone, indexed);
assert.equal((await store.children(start)).length, 2);
assert.equal(await again.leaf(), session.leaf);
assert.deepEqual(again.damage, []);
