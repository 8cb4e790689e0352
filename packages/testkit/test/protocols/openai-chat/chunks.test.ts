/** Tests the chunks of a stream one by one. */

import { afterEach, expect, test } from "vitest";
import { type Reply, startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

let server: TestServer;
afterEach(() => server.close());

const reply: Reply = {
  parts: [
    { type: "thinking", text: "hmm" },
    { type: "thinking", text: "sealed", redacted: true },
    { type: "text", text: "hello" },
    { type: "call", name: "read", arguments: { a: 1 }, id: "call_a" },
    { type: "call", name: "write", arguments: {}, id: "call_b" },
  ],
  usage: { input: 10, cacheRead: 20, cacheWrite: 0, output: 5 },
  pace: { chunk: 4 },
};

test("KIT1 sends the role first, then the deltas, then the finish reason", async () => {
  const chunks = await chunksOf(reply);
  expect(chunks.pop()).toBe("[DONE]");
  const parsed = chunks.map((chunk) => JSON.parse(chunk));
  expect(parsed.map(({ choices: [{ delta }] }) => delta)).toEqual([
    { role: "assistant", content: "" },
    { reasoning_content: "hmm" },
    { content: "hell" },
    { content: "o" },
    { tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "read", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
    { tool_calls: [{ index: 1, id: "call_b", type: "function", function: { name: "write", arguments: "" } }] },
    { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
    {},
  ]);
  expect(parsed.map(({ choices: [{ finish_reason }] }) => finish_reason)).toEqual([
    ...Array.from({ length: 9 }, () => null),
    "tool_calls",
  ]);
  expect(new Set(parsed.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
  expect(parsed.every((chunk) => !("usage" in chunk))).toBe(true);
});

test("KIT1 sends usage in a separate chunk, and only if the request asks for it", async () => {
  const chunks = await chunksOf(reply, { stream_options: { include_usage: true } });
  const parsed = chunks.slice(0, -1).map((chunk) => JSON.parse(chunk));
  expect(parsed.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  expect(parsed.at(-1)).toMatchObject({ object: "chat.completion.chunk", choices: [] });
  expect(parsed.at(-1).usage).toEqual({
    prompt_tokens: 30,
    completion_tokens: 5,
    total_tokens: 35,
    prompt_tokens_details: { cached_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 3 },
  });
  await server.close();
  const silent = await chunksOf({ ...reply, usage: "none" }, { stream_options: { include_usage: true } });
  expect(silent.some((chunk) => chunk.includes("prompt_tokens"))).toBe(false);
});

test("KIT1 an error inside the stream is the last chunk", async () => {
  const error = { message: "The server is overloaded.", type: "server_error", code: "overloaded" };
  const chunks = await chunksOf({ ...reply, breaks: { how: "error", after: 1, error } });
  expect(chunks.slice(1).map((chunk) => JSON.parse(chunk))).toEqual([{ error: { ...error, param: null } }]);
});

test("KIT1 the script gets the last text, the tools, and the number of results at the end", async () => {
  const values: unknown[] = [];
  server = await startServer({
    script: ({ text, tools, resultCount, model, isStreaming }) => {
      values.push({ text, tools, results: resultCount, model, streams: isStreaming });
      return "fine";
    },
  });
  const call = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
  await postQuestion({
    messages: [
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "" },
    ],
    tools: [{ type: "function", function: { name: "read" } }],
    stream: false,
  });
  expect(values).toEqual([{ text: "go", tools: ["read"], results: 1, model: "gpt-4.1", streams: false }]);
});

async function chunksOf(step: Reply, settings: object = {}): Promise<string[]> {
  server = await startServer({ script: [step] });
  const text = await postQuestion(settings);
  return text
    .trim()
    .split("\n\n")
    .map((chunk) => chunk.slice("data: ".length));
}

async function postQuestion(settings: object): Promise<string> {
  const body = { model: "gpt-4.1", messages: [{ role: "user", content: "hello" }], stream: true, ...settings };
  return (await postJson(`${server.url}/v1/chat/completions`, body, { authorization: "Bearer test" })).text;
}
