/** A minimal agent: `node:http`, a bash process for each command, one list of messages. Usage: `floor.mjs URL PROMPT`. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const [address, prompt] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const text = { type: "string" };
const tools = [
  { name: "bash", description: "run", input_schema: { type: "object", properties: { command: text } } },
  { name: "read", description: "read", input_schema: { type: "object", properties: { path: text } } },
];
const messages = [{ role: "user", content: [{ type: "text", text: prompt }] }];

for (;;) {
  const reply = await sendRequest(JSON.stringify({ model: "floor", max_tokens: 1000, stream: true, tools, messages }));
  if (!reply.call) {
    console.log(reply.text);
    break;
  }
  const input = JSON.parse(reply.json);
  messages.push({ role: "assistant", content: [{ ...reply.call, input }] });
  const content = reply.call.name === "bash" ? await run(input.command) : readFileSync(input.path, "utf8");
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: reply.call.id, content }] });
}
agent.destroy();

async function sendRequest(body) {
  const reply = { call: null, json: "", text: "" };
  for (const line of (await postBody(body)).split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const { content_block: block, delta } = JSON.parse(line.slice(6));
    if (block?.type === "tool_use") reply.call = block;
    reply.json += delta?.partial_json ?? "";
    reply.text += delta?.text ?? "";
  }
  return reply;
}

function postBody(body) {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-api-key": "floor",
    "anthropic-version": "2023-06-01",
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${address}/v1/messages`, { method: "POST", agent, headers }, (response) => {
      const output = collectChunks(response);
      response.on("end", () => resolve(output.join("")));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function run(command) {
  const child = spawn("bash", ["-c", command]);
  const output = collectChunks(child.stdout);
  return new Promise((resolve) => child.on("close", () => resolve(output.join(""))));
}

function collectChunks(stream) {
  const chunks = [];
  stream.setEncoding("utf8").on("data", (chunk) => chunks.push(chunk));
  return chunks;
}
