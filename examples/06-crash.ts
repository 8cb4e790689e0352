/** Kills a writer in the middle of its work and opens the session again: nothing that was acknowledged is lost. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "@pith/context";
import { createStore, nodeRuntime, openStore } from "@pith/context/node";

const [, program = "", path] = process.argv;
if (path) await write(path);
else await killAndLook();

/** The writer: appends forever, and prints each id once it is safe. */
async function write(path: string): Promise<void> {
  const created = await createStore(path, { cwd: process.cwd() });
  if (created.type !== "opened") throw new Error(`no session: ${JSON.stringify(created)}`);
  const session = await Session.open(created.store, nodeRuntime);
  for (let number = 1; ; number++) {
    const message = { role: "user", content: `This is line ${number}.`, timestamp: nodeRuntime.now() } as const;
    const outcome = await session.append({ type: "message", message });
    if (outcome.type === "appended") appendFileSync(`${path}.safe`, `${outcome.leaf}\n`);
  }
}

async function killAndLook(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pith-crash-"));
  const path = join(folder, "session.jsonl");
  const writer = spawn(process.execPath, [program, path], { stdio: "inherit" });
  while (safeIds(path).length < 100) {
    if (writer.exitCode !== null) throw new Error("the writer ended before it had written enough");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  writer.kill("SIGKILL");
  await new Promise((resolve) => writer.on("close", resolve));

  // To make sure that there is something to repair, adds half a line, as a crash in the middle of a write would.
  appendFileSync(path, '{"type":"message","id":"torn');

  // The writer is dead, so its lease is taken over at once.
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
  const { store } = opened;
  for (const { kind, line, note } of store.damage) console.log(`line ${line}: ${kind}, ${note}`);

  const session = await Session.open(store, nodeRuntime);
  const ids = new Set((await session.branchEntries()).map((entry) => entry.id));
  const safe = safeIds(path);
  const lost = safe.filter((id) => !ids.has(id));
  console.log(`${safe.length} entries were acknowledged, ${ids.size} are there, ${lost.length} are lost`);

  // The first append sets the torn bytes aside and continues after the last complete line.
  await session.append({
    type: "message",
    message: { role: "user", content: "On it goes.", timestamp: nodeRuntime.now() },
  });
  const aside = readFileSync(`${path}.damaged`, "utf8");
  await store.close();

  assert.deepEqual(lost, []);
  assert.deepEqual(
    store.damage.map(({ kind }) => kind),
    ["torn-tail"],
  );
  assert.match(aside, /"torn$/);
  assert.deepEqual(await damageOf(path), []);
  rmSync(folder, { recursive: true });
}

async function damageOf(path: string): Promise<readonly unknown[]> {
  const opened = await openStore(path, { mode: "follower" });
  return opened.type === "opened" ? opened.store.check() : [opened];
}

function safeIds(path: string): readonly string[] {
  try {
    return readFileSync(`${path}.safe`, "utf8").split("\n").slice(0, -1);
  } catch {
    // The writer has not started.
    return [];
  }
}
