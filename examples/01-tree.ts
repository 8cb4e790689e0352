/** A newcomer's first five minutes: a session is a tree of entries, and the context is what one branch of it says. */

import assert from "node:assert/strict";
import { buildSessionContext, convertToLlm, MemoryStore, Session } from "@pith/context";
import { machine } from "@pith/context/node";
import { show } from "@pith/context/testing";

// A session in memory. A file or a database would be another store behind the same door.
const session = await Session.open(MemoryStore.create(machine, { cwd: "/project" }), machine);
const say = (content: string) =>
  session.append({ type: "message", message: { role: "user", content, timestamp: machine.now() } });
const seen = (): string => show(convertToLlm(buildSessionContext(session.window).messages));

// 1. What is said is appended; the last entry is the leaf.
await say("Make the parser faster.");
const fork = session.leaf;
await say("Try a cache.");
console.log(`One branch:\n${seen()}\n`);

// 2. Moving to an earlier entry and going on makes a second branch. Nothing is removed.
await session.move(fork);
await say("Try an index.");
console.log(`Another branch, from the same beginning:\n${seen()}\n`);
assert.equal((await session.store.children(fork)).length, 2);

// 3. A compaction is an entry too: from here on the model sees its summary and what it keeps.
const kept = session.leaf ?? "";
await session.append({
  type: "compaction",
  summary: "The parser is to be made faster.",
  firstKeptEntryId: kept,
  tokensBefore: 12,
});
await say("Good. Now measure it.");
console.log(`After a compaction:\n${seen()}\n`);
assert.equal(buildSessionContext(session.window).messages[0]?.role, "compactionSummary");

// 4. It is undone by moving to before it.
await session.move(kept);
console.log(`Undone:\n${seen()}\n`);
assert.deepEqual(seen().split("\n"), ["0 user      Make the parser faster.", "1 user      Try an index."]);

// 5. All of it is one file, which pi can open as well.
const bytes = (session.store as MemoryStore).bytes();
const again = await Session.open(MemoryStore.open(bytes, machine), machine);
assert.equal(again.leaf, session.leaf);
console.log(`${bytes.length} bytes, ${(await again.branch()).length} entries on this branch`);
