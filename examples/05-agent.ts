/** An agent with a custom tool. Needs no API key: a scripted server stands in for the model. */

import assert from "node:assert/strict";
import { Agent, type Tool } from "@pith/agent";
import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { startServer } from "@pith/testkit";

const lookup = { type: "call", name: "stock", arguments: { item: "lamp" } } as const;
const server = await startServer({ script: [{ parts: [lookup] }, "There are 12 lamps left."] });

// #region agent
const options = { provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl: `${server.url}/v1` };
const opened = await openModel(options);
if (opened.type !== "opened") throw new Error(opened.message);

const stock: Tool = {
  name: "stock",
  description: "How many of an item are in stock.",
  parameters: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
  isIdempotent: true,
  run: async ({ arguments: { item } }) => ({ content: [{ type: "text", text: `12 of ${item}` }] }),
};

const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
const systemPrompt = { folder: process.cwd(), customPrompt: "You answer questions about our stock." };
const agent = new Agent({
  session,
  model: opened.model,
  tools: [stock],
  runtime: nodeRuntime,
  systemPrompt,
});

for await (const event of agent.prompt("How many lamps are left?")) {
  if (event.type === "tool_execution_start") console.log(`· ${event.toolName}`, event.args);
  if (event.type === "message_update" && event.delta.type === "text-delta") process.stdout.write(event.delta.text);
  if (event.type === "agent_end" && event.end.type !== "done") console.error(event.end);
}
// #endregion
assert.match(JSON.stringify(server.requests[1]?.body), /12 of lamp/);
await server.close();
