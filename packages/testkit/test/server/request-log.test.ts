/** Tests the request log, in memory and as lines of JSON. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ServedRequest, startServer, type TestServer } from "../../src/index.ts";
import { postJson } from "../support/requests.ts";

let folder: string;
let server: TestServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-testkit-"));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const key = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
const question = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

test("KIT6 logs every request as a line of JSON with its body, outcome and usage", async () => {
  const log = join(folder, "requests.jsonl");
  server = await startServer({
    log,
    script: [
      "hello",
      { refuse: { status: 529, message: "Overloaded" } },
      { parts: [{ type: "text", text: "hm" }], usage: "zero" },
      "ciao",
    ],
  });
  const path = `${server.url}/v1/messages`;
  for (const body of [question, question, question]) await postJson(path, body, key);
  await postJson(path, { ...question, max_tokens: 0 }, key);
  await postJson(`${server.url}/v1beta/models/gemini-2.5-pro:generateContent?key=k`, {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
  });
  await postJson(`${server.url}/nowhere`, {});
  const lines = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): ServedRequest => JSON.parse(line));
  expect(lines).toEqual(server.requests);
  expect(lines.map(({ number, outcome, status, model }) => [number, outcome, status, model])).toEqual([
    [1, "said", 200, "claude-sonnet-4-5"],
    [2, "scripted", 529, "claude-sonnet-4-5"],
    [3, "said", 200, "claude-sonnet-4-5"],
    [4, "refused", 400, "claude-sonnet-4-5"],
    [5, "said", 200, "gemini-2.5-pro"],
    [6, "unknown", 404, ""],
  ]);
  expect(lines[0]).toMatchObject({
    wire: "anthropic-messages",
    path: "/v1/messages",
    bytes: JSON.stringify(question).length,
    body: question,
  });
  expect(lines[0]?.usage).toEqual({ input: 8, cacheRead: 0, cacheWrite: 0, output: 2 });
  expect(lines[2]).toMatchObject({ usage: { input: 8 }, reported: { input: 0, output: 0 } });
  expect(lines[3]?.why).toBe("max_tokens: Input should be greater than or equal to 1");
});

test("KIT6 logs how a reply broke", async () => {
  const parts = [{ type: "text" as const, text: "half" }];
  const error = { message: "Overloaded" };
  server = await startServer({
    script: [{ parts, breaks: { how: "cut", after: 1 } }, { parts, breaks: { how: "error", error } }, { parts }],
  });
  for (let requests = 0; requests < 3; requests += 1)
    await postJson(`${server.url}/v1/messages`, { ...question, stream: true }, key).catch(() => "cut");
  expect(server.requests.map(({ outcome, broke }) => [outcome, broke])).toEqual([
    ["said", "cut"],
    ["said", "error"],
    ["said", undefined],
  ]);
});

test("KIT6 reports once that the log can no longer be written, and goes on replying", async () => {
  const log = join(folder, "gone", "requests.jsonl");
  mkdirSync(join(folder, "gone"));
  server = await startServer({ log, script: () => "hello" });
  rmSync(join(folder, "gone"), { recursive: true });
  const errorLog = vi.spyOn(console, "error").mockImplementation(() => {});
  const answers = [await ask(), await ask()];
  expect(answers).toEqual([200, 200]);
  expect(errorLog.mock.calls).toEqual([[expect.stringMatching(/^testkit: the log .* can no longer be written to: /)]]);
  errorLog.mockRestore();
});

async function ask(): Promise<number> {
  return (await postJson(`${server.url}/v1/messages`, question, key)).status;
}

test("KIT6 a second server appends to the log of the first", async () => {
  const log = join(folder, "requests.jsonl");
  for (let servers = 0; servers < 2; servers += 1) {
    server = await startServer({ log, script: ["hello"] });
    await postJson(`${server.url}/v1/messages`, question, key);
    await server.close();
  }
  expect(readFileSync(log, "utf8").trimEnd().split("\n")).toHaveLength(2);
});

test("KIT6 logs a compressed body decompressed, and counts its compressed bytes", async () => {
  server = await startServer({ script: () => "hello" });
  const packed = gzipSync(JSON.stringify(question));
  const headers = { ...key, "content-encoding": "gzip", "content-type": "application/json" };
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body: packed });
  expect(response.status).toBe(200);
  expect(server.requests[0]).toMatchObject({ body: question, bytes: packed.length });
});

test("KIT6 a script function gets a request in the same form for every protocol", async () => {
  const scriptRequests: unknown[] = [];
  server = await startServer({
    script: ({ body: _, ...rest }) => {
      scriptRequests.push(rest);
      return "fine";
    },
  });
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
  await postJson(
    `${server.url}/v1/messages`,
    { ...question, tools, messages: [...question.messages, call, result] },
    key,
  );
  const contents = [
    { role: "user", parts: [{ text: "hi" }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: {} } }] },
  ];
  await postJson(`${server.url}/v1beta/models/gemini-2.5-pro:streamGenerateContent?key=k&alt=sse`, {
    contents,
    tools: [{ functionDeclarations: [{ name: "read" }] }],
  });
  const same = { tools: ["read"], text: "hi", resultCount: 1 };
  expect(scriptRequests).toEqual([
    { number: 1, wire: "anthropic-messages", model: "claude-sonnet-4-5", isStreaming: false, ...same },
    { number: 2, wire: "google-generative-ai", model: "gemini-2.5-pro", isStreaming: true, ...same },
  ]);
});
