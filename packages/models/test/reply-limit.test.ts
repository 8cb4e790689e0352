/** Tests endless replies through the provider packages: what is kept, and the message. */

import type { ModelEvent, Request } from "@pith/context";
import { type Reply, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { openModel } from "../src/index.ts";
import { limitResponses } from "../src/network/response-limits.ts";
import { maxReplyBytes } from "../src/reply-limit.ts";

let server: TestServer;
afterEach(() => server?.close());

const wires = [
  { name: "anthropic", model: "claude-sonnet-4-5", path: "/v1", deltas: { text: 3, thinking: 3, call: 3 } },
  { name: "openai", model: "gpt-5.1", path: "/v1", deltas: { text: 4, thinking: 4, call: 3 } },
  { name: "openai-chat", model: "gpt-4.1", path: "/v1", deltas: { text: 1, thinking: 1, call: 2 } },
  { name: "google", model: "gemini-2.5-flash", path: "/v1beta", deltas: { text: 0, thinking: 0, call: 0 } },
] as const;

type Wire = (typeof wires)[number];

const words = "lorem ipsum dolor ".repeat(1000);
const parts = {
  text: { type: "text", text: words },
  thinking: { type: "thinking", text: words },
  call: { type: "call", name: "write", arguments: { content: words } },
} as const;

function endless(kind: keyof typeof parts, { deltas }: Wire): Reply {
  const breaks = { how: "repeat", after: deltas[kind] } as const;
  return { parts: [parts[kind], { type: "text", text: "The end." }], pace: { chunk: words.length }, breaks };
}

async function ask(wire: Wire, step: Step): Promise<{ readonly last: ModelEvent | undefined; readonly limit: number }> {
  server = await startServer({ script: [step] });
  const modelOptions = { provider: wire.name, model: wire.model, apiKey: "any", baseUrl: `${server.url}${wire.path}` };
  const opened = await openModel(modelOptions, { environment: {} });
  if (opened.type !== "opened") throw new Error(opened.message);
  const { model } = opened;
  const tool = { name: "write", description: "Writes.", parameters: { type: "object", properties: {} } };
  const request: Request = {
    system: [],
    tools: [tool],
    messages: [{ role: "user", content: "Go.", timestamp: 0 }],
    thinking: "off",
    toolChoice: "auto",
    cacheMarks: [],
  };
  let last: ModelEvent | undefined;
  for await (const event of model.stream(request, {})) last = event;
  return { last, limit: maxReplyBytes(model.maxTokens) };
}

describe.each(wires)("$name", (wire) => {
  test.each(["text", "thinking", "call"] as const)(
    "BOUND1 an endless reply of %s is kept up to its limit, fails, and is not retried",
    async (kind) => {
      const { last, limit } = await ask(wire, endless(kind, wire));
      expect(last).toMatchObject({
        type: "reply-failed",
        failure: {
          kind: "refused",
          message: expect.stringMatching(/ sent more than \S+ (MB|blocks) in one re(ply|sponse), /),
        },
      });
      // OpenAI's package for Chat Completions does not read thinking; then nothing is kept.
      const kept = last?.type === "reply-failed" ? last.message : undefined;
      if (kept) expect(kept.stopReason).toBe("error");
      // A thought of OpenAI's Responses is kept a second time, as its signature.
      expect(JSON.stringify(kept ?? "").length).toBeLessThan(limit * 2.2);
      expect(server.requests.filter((served) => served.wire !== null)).toHaveLength(1);
    },
  );

  test("BOUND2 an endless line is not buffered beyond its limit", async () => {
    const { last } = await ask(wire, { parts: [parts.text], breaks: { how: "long-line", after: 0 } });
    expect(last).toMatchObject({
      type: "reply-failed",
      failure: { kind: "refused", message: expect.stringContaining("sent one event of more than 8 MB") },
    });
    expect(server.requests.filter((served) => served.wire !== null)).toHaveLength(1);
  });
});

test("BOUND1 the limit follows the model's maximum, from 1 MB to 4 MB", () => {
  const mb = 1024 * 1024;
  expect([1, 65_536, 131_072, 262_144, 10 ** 9].map(maxReplyBytes)).toEqual([mb, mb, 2 * mb, 4 * mb, 4 * mb]);
});

const limits = { event: 10, stream: 40, body: 20, error: 5 };

function limited(pieces: readonly string[], { type = "text/event-stream", status = 200 } = {}): Promise<Response> {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const response = new Response(body, { status, headers: { "content-type": type } });
  return limitResponses(async () => response, limits)("http://localhost");
}

test.each([
  ["events whose ends are split", ["data: 1\r\n\r", "\ndata: 2\n", "\ndata: 3\r\r"], {}],
  ["lines of JSON", ["{1234567}\n{123", "4567}\n"], { type: "application/x-ndjson" }],
  ["any other body", ["12345678901234567890"], { type: "application/json" }],
])("BOUND2 %s within the limit are not changed", async (_, pieces, parts) => {
  expect(await (await limited(pieces, parts)).text()).toBe(pieces.join(""));
});

test.each([
  ["one event", ["data: 1\n\nda", "ta: 12345\n"], {}, "sent one event of more than"],
  ["many lines of one event", ["data:1\n", "data:2\n"], {}, "sent one event of more than"],
  ["one line of JSON", ["{12345", "678901", "}\n"], { type: "application/x-ndjson" }, "sent one line of more than"],
  ["a whole stream", Array.from({ length: 9 }, () => "data:\n\n"), {}, "in one response"],
  ["any other body", ["1234567890", "12345678901"], { type: "application/json" }, "in one response"],
])("BOUND2 %s that is too large fails the response", async (_, pieces, parts, message) => {
  await expect((await limited(pieces, parts)).text()).rejects.toThrow(message);
});

test("BOUND2 only the beginning of an error response is read", async () => {
  const response = await limited(["1234", "5678"], { status: 500 });
  expect([response.status, await response.text()]).toEqual([500, "12345"]);
});
