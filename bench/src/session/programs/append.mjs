/** Appends beside the bare act: one line written and synced by hand, one entry by a session, in turn. Arguments: package folder, folder, count. */

import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

const [, , home, folder, count] = process.argv;
const { Session } = await import(join(home, "dist/index.js"));
const { createStore, machine } = await import(join(home, "dist/node/index.js"));

const text = "An append is acknowledged when it would survive a power cut. ".repeat(32);
const bare = openSync(join(folder, "bare.jsonl"), "a", 0o600);
const { store } = await createStore(join(folder, "ours.jsonl"), { cwd: folder });
const session = await Session.open(store, machine);
const ours = [];
const theirs = [];
for (let at = 0; at < Number(count); at++) {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: at };
  const line = `${JSON.stringify({ type: "message", id: machine.entryId(), parentId: null, timestamp: "", message })}\n`;
  theirs.push(timed(() => writeAndSync(line)));
  const start = performance.now();
  await session.append({ type: "message", message });
  ours.push(performance.now() - start);
}
await store.close();
console.log(JSON.stringify({ ours, bare: theirs }));

function writeAndSync(line) {
  writeSync(bare, line);
  fdatasyncSync(bare);
}

function timed(act) {
  const start = performance.now();
  act();
  return performance.now() - start;
}
