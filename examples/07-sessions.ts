/** Creates, lists, finds, names, forks and follows sessions, moves one to the trash and restores it. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusalNotes, Session } from "@pith/context";
import {
  createSession,
  findSession,
  forkSession,
  labelEntry,
  listSessions,
  nodeRuntime,
  openStore,
  renameSession,
  restoreSession,
  trashSession,
} from "@pith/context/node";

// A separate home for this example. Without it, sessions are in ~/.pith/sessions.
process.env.PITH_HOME = mkdtempSync(join(tmpdir(), "pith-sessions-"));

// #region file
const created = await createSession({ cwd: process.cwd() });
if (created.type !== "opened") throw new Error(JSON.stringify(created)); // another process has it open, or the disk failed
const { store } = created;
const session = await Session.open(store, nodeRuntime);

const outcome = await session.append({ type: "message", message: { role: "user", content: "Hello.", timestamp: 1 } });
if (outcome.type === "refused") console.error(refusalNotes[outcome.why]); // a full disk, a lost lease, a file that was removed …
if (outcome.type === "leaf-moved") await session.refresh(); // another writer appended entries: check them, then append again

// Pass the open session, not its path: a file has only one writer.
await renameSession(session, "A first try");
await labelEntry(session, { entryId: outcome.leaf ?? "", label: "hello" });

// A second process is told who the writer is. It can follow, fork, or take over (`mode: "takeover"`).
const second = await openStore(store.path);
if (second.type === "held") console.log(`process ${second.owner.pid} writes it`);
const follower = await openStore(store.path, { mode: "follower" });
const stop = new AbortController();
const reading = follower.type === "opened" ? follower.store.follow({ signal: stop.signal }) : null;
const news = reading?.next();

const fork = await forkSession(session);
await session.append({ type: "message", message: { role: "user", content: "On it goes.", timestamp: 2 } });
// #endregion

const update = await news;
stop.abort();
await store.close();

for (const { name, firstMessage, size } of await listSessions())
  console.log(`${name}: "${firstMessage}", ${size} bytes`);

const found = await findSession(store.header.id.slice(0, 8));
const trashed = found.type === "found" ? await trashSession(found.path) : found;
const left = (await listSessions()).map(({ name }) => name);
const restored = trashed.type === "trashed" ? await restoreSession(trashed.folder) : trashed;

assert.equal(second.type, "held");
assert.equal(update?.value?.length, 1);
assert.equal(fork.type, "forked");
assert.deepEqual(left, ["A first try (fork)"]);
assert.deepEqual(restored, { type: "restored", path: store.path });
assert.equal((await listSessions({ cwd: process.cwd() })).length, 2);
rmSync(process.env.PITH_HOME, { recursive: true });
