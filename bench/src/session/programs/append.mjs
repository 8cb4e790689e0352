/** Measures appends: written and synced by hand, by our store, and by a session. Arguments: package folder, folder, count. */

import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { importBuilt } from "../../import-built.mjs";

const [, , home, folder, count] = process.argv;
const { Session } = await importBuilt(home, ".");
const { createStore, nodeRuntime } = await importBuilt(home, "./node");

const text = "An append is acknowledged when it would survive a power cut. ".repeat(32);
const descriptor = openSync(join(folder, "bare.jsonl"), "a", 0o600);
const { store } = await createStore(join(folder, "store.jsonl"), { cwd: folder });
const kept = await createStore(join(folder, "session.jsonl"), { cwd: folder });
const session = await Session.open(kept.store, nodeRuntime);
const took = { bare: [], store: [], session: [] };
let parentId = null;
for (let at = 0; at < Number(count); at++) {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: at };
  const entry = { type: "message", id: nodeRuntime.entryId(), parentId, timestamp: new Date().toISOString(), message };
  const expectedLeaf = parentId;
  parentId = entry.id;
  await timed("bare", async () => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    fdatasyncSync(descriptor);
  });
  await timed("store", () => store.append([entry], { expectedLeaf }));
  await timed("session", () => session.append({ type: "message", message }));
}
await store.close();
await kept.store.close();
console.log(JSON.stringify(took));

async function timed(who, act) {
  const start = performance.now();
  await act();
  took[who].push(performance.now() - start);
}
