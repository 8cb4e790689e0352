/** An agent with the tools, permissions and sandbox of `pith`, inside another program. Needs no API key: a scripted server stands in for the model. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createMemoryBlobs } from "@pith/agent";
import { MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { buildAgent, createVault, openLocalWorkspace } from "@pith/host";
import { startServer } from "@pith/testkit";

const count = { type: "call", name: "bash", arguments: { command: "echo 12 lamps | tee stock.txt" } } as const;
const server = await startServer({ script: [{ parts: [count] }, "There are 12 lamps left."] });
const home = mkdtempSync("/var/tmp/pith-host-");

// #region host
const settings = { model: "anthropic/claude-sonnet-4-5", baseUrl: `${server.url}/v1` };
const folders = { cwd: mkdtempSync(join(home, "work-")), home: join(home, "pith"), userHome: home };
const context = { ...folders, environment: { PATH: process.env.PATH }, settings };
const keys = { location: "our keys", read: async () => ({ type: "read", keys: { anthropic: "any" } }) as const };

const workspace = openLocalWorkspace(context);
const built = await buildAgent({
  ...{ ...context, keys, workspace, vault: await createVault({ ...context, keys }) },
  storage: { store: MemoryStore.create(nodeRuntime), blobs: createMemoryBlobs() },
  // Commands run in the sandbox without a question. All other questions get this answer.
  user: { ask: async () => ({ type: "no", word: "Nobody can answer at night." }) },
});
if (built.type === "failed") throw new Error(built.message);
for await (const event of built.agent.prompt("How many lamps are left?"))
  if (event.type === "tool_execution_end") console.log(event.toolName, event.result.content);
await built.close();
await workspace.close();
// #endregion

if ((await workspace.sandbox).type === "available")
  assert.equal(readFileSync(join(context.cwd, "stock.txt"), "utf8"), "12 lamps\n");
rmSync(home, { recursive: true });
await server.close();
