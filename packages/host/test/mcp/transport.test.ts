/** How much of an answer is read. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished, test } from "vitest";
import { createBoundedFetch } from "../../src/mcp/transport.ts";

const event = (length: number, end = "\n\n"): string => `data: ${"x".repeat(length)}${end}`;

test.each([
  { what: "a short response", sent: ["x".repeat(1_000)], isRead: true },
  { what: "a long response", sent: ["x".repeat(600), "x".repeat(600)], isRead: false },
  { what: "a compressed response by its decompressed size", sent: [gzipSync("x".repeat(5_000))], isRead: false },
  {
    what: "each of many short events alone",
    sent: [event(600), event(600), event(600, "\r\n\r\n"), event(600)],
    isRead: true,
  },
  { what: "events whose ends arrive in parts", sent: [event(600, "\n"), `\n${event(600, "\n")}`, "\n"], isRead: true },
  {
    what: "an event of many lines as a whole",
    sent: [event(300, "\n"), event(300, "\n"), event(600, "\n"), "\n"],
    isRead: false,
  },
])("MCP18 a limit of 1,000 bytes applies to $what", async ({ sent, isRead }) => {
  const isEvents = String(sent[0]).startsWith("data:");
  const isPacked = typeof sent[0] !== "string";
  const server = createServer(async (_, response) => {
    response.writeHead(200, {
      "content-type": isEvents ? "text/event-stream" : "application/json",
      ...(isPacked && { "content-encoding": "gzip" }),
    });
    for (const each of sent) await new Promise((resolve) => response.write(each, () => setTimeout(resolve, 10)));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const reasons: string[] = [];
  const fetching = createBoundedFetch({ maxBytes: 1_000, onTooLong: (why) => void reasons.push(why) });
  const response = await fetching(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const text = await response.text().catch(() => null);
  assert.deepEqual([text === null, reasons.length], isRead ? [false, 0] : [true, 1]);
});
