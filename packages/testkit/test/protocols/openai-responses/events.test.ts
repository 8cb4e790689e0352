/** Tests the events of a stream one by one. */

import { afterEach, expect, test } from "vitest";
import { type Step, startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

let server: TestServer;
afterEach(() => server.close());

test("KIT1 every item has added, delta and done events, and every event has a number", async () => {
  const events = await eventsOf({
    parts: [
      { type: "thinking", text: "one two" },
      { type: "thinking", text: "sealed", redacted: true },
      { type: "text", text: "three" },
      { type: "call", name: "read", arguments: {} },
    ],
    pace: { chunk: 4 },
  });
  expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
    ...["created", "in_progress"],
    ...["output_item.added", "reasoning_summary_part.added"],
    ...["reasoning_summary_text.delta", "reasoning_summary_text.delta", "reasoning_summary_text.done"],
    ...["reasoning_summary_part.done", "output_item.done"],
    ...["output_item.added", "output_item.done"],
    ...["output_item.added", "content_part.added", "output_text.delta", "output_text.delta"],
    ...["output_text.done", "content_part.done", "output_item.done"],
    ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
    "completed",
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  expect(events.at(-1)?.response?.output.map(({ type }) => type)).toEqual([
    "reasoning",
    "reasoning",
    "message",
    "function_call",
  ]);
});

test("KIT1 a reply that ends early is incomplete, with a reason", async () => {
  const last = (await eventsOf({ parts: [{ type: "text", text: "half" }], stop: "length", usage: "none" })).at(-1);
  expect(last?.type).toBe("response.incomplete");
  expect(last?.response).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    usage: null,
  });
});

test("KIT1 usage includes cached tokens in the input", async () => {
  const usage = { input: 10, cacheRead: 20, cacheWrite: 0, output: 5 };
  const last = (await eventsOf({ parts: [{ type: "text", text: "x" }], usage })).at(-1);
  expect(last?.response?.usage).toEqual({
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 20 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 35,
  });
});

test("KIT1 an error with a code fails the response; one without is a separate event", async () => {
  const parts = [{ type: "text" as const, text: "x" }];
  const failed = await eventsOf({
    parts,
    breaks: { how: "error", after: 2, error: { code: "rate_limit_exceeded", message: "slow down" } },
  });
  expect(failed.map(({ type }) => type)).toEqual(["response.created", "response.in_progress", "response.failed"]);
  expect(failed.at(-1)?.response).toMatchObject({
    status: "failed",
    error: { code: "rate_limit_exceeded", message: "slow down" },
  });
  await server.close();
  const error = await eventsOf({
    parts,
    breaks: { how: "error", after: 1, error: { type: "server_error", message: "oh" } },
  });
  expect(error.at(-1)).toMatchObject({ type: "error", error: { type: "server_error", message: "oh" } });
});

test("KIT1 the script gets the last text, the tools, and the number of results at the end", async () => {
  const values: unknown[] = [];
  server = await startServer({
    script: ({ text, tools, resultCount, model, isStreaming }) => {
      values.push({ text, tools, results: resultCount, model, streams: isStreaming });
      return "fine";
    },
  });
  const call = { type: "function_call", call_id: "c", name: "read", arguments: "{}" };
  const input = [{ role: "user", content: "go" }, call, { type: "function_call_output", call_id: "c", output: "x" }];
  const body = { model: "m", input, tools: [{ type: "function", name: "read" }] };
  await postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer test" });
  expect(values).toEqual([{ text: "go", tools: ["read"], results: 1, model: "m", streams: false }]);
});

interface Event {
  readonly type: string;
  readonly sequence_number?: number;
  readonly response?: { readonly output: readonly { readonly type: string }[]; readonly usage?: unknown };
}

async function eventsOf(step: Step): Promise<readonly Event[]> {
  server = await startServer({ script: [step] });
  const body = { model: "gpt-5.1", input: "hello", stream: true };
  const { text } = await postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer test" });
  return text
    .trim()
    .split("\n\n")
    .map((event) => {
      const [name, data] = event.split("\n");
      const parsed = JSON.parse(String(data).slice("data: ".length));
      expect(name).toBe(`event: ${parsed.type}`);
      return parsed;
    });
}
