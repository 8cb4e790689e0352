/** Tests connections to a provider: reused for the next request, closed when they hang. */

import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { openModel } from "../src/open-model.ts";
import { lastOf } from "./providers/protocols.ts";

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

test("MOD13 a connection is reused after a reply, even if its last bytes come late", async () => {
  let lines = 0;
  server = await listening(20);
  server.on("connection", () => {
    lines += 1;
  });
  const opened = await openModel({
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    apiKey: "any",
    baseUrl: address(),
  });
  if (opened.type !== "opened") throw new Error(opened.message);
  for (let round = 0; round < 10; round += 1) {
    expect(await lastOf(opened.model.stream(request, {}))).toMatchObject({ type: "reply-ended" });
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(lines).toBeLessThanOrEqual(3);
});

test("MOD13 a program can exit at once after aborting a hanging reply", async () => {
  server = await listening(null);
  const program = `
    import { openModel } from ${JSON.stringify(new URL("../src/open-model.ts", import.meta.url).href)};
    const opened = await openModel({ provider: "anthropic", model: "m", apiKey: "any", baseUrl: process.argv[1] });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    for await (const event of opened.model.stream(${JSON.stringify(request)}, { signal: abort.signal })) console.log(event.type);
  `;
  const begun = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, address()]);
  expect(stdout).toContain("reply-failed");
  expect(performance.now() - begun).toBeLessThan(60_000);
});

const request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: "hi", timestamp: 0 }],
  thinking: "off",
  toolChoice: "auto",
  cacheMarks: [],
} as const;

const events = [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];

/** Ends so many milliseconds after its last event; null: says nothing at all. */
function listening(lateMs: number | null): Promise<Server> {
  const fresh = createServer((incoming, response) => {
    incoming.resume();
    if (lateMs === null) return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    setTimeout(() => response.end(), lateMs);
  });
  return new Promise((resolve) => fresh.listen(0, "127.0.0.1", () => resolve(fresh)));
}

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
