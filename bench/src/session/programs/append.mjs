/** Measures appends with a bare write and sync, with our store, and with a session. Arguments: package folder, folder, count. */

import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { importBuilt } from "../../import-built.mjs";

const [, , packageFolder, folder, count] = process.argv;
const { Session } = await importBuilt(packageFolder, ".");
const { createStore, nodeRuntime } = await importBuilt(packageFolder, "./node");

const text = "An append is acknowledged when it would survive a power cut. ".repeat(32);
const descriptor = openSync(join(folder, "bare.jsonl"), "a", 0o600);
const { store } = await createStore(join(folder, "store.jsonl"), { cwd: folder });
const sessionStore = await createStore(join(folder, "session.jsonl"), { cwd: folder });
const session = await Session.open(sessionStore.store, nodeRuntime);
const times = { bare: [], store: [], session: [] };
let parentId = null;
for (let index = 0; index < Number(count); index++) {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: index };
  const entry = { type: "message", id: nodeRuntime.entryId(), parentId, timestamp: new Date().toISOString(), message };
  const expectedLeaf = parentId;
  parentId = entry.id;
  await timeAppend("bare", async () => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    fdatasyncSync(descriptor);
  });
  await timeAppend("store", () => store.append([entry], { expectedLeaf }));
  await timeAppend("session", () => session.append({ type: "message", message }));
}
await store.close();
await sessionStore.store.close();
console.log(JSON.stringify(times));

async function timeAppend(name, run) {
  const start = performance.now();
  await run();
  times[name].push(performance.now() - start);
}
