/** Tests every kind of provider failure, as a plain `fetch` sees it. */

import { afterEach, expect, test } from "vitest";
import { type ReplyBreak, type Step, startServer, type TestServer } from "../../src/index.ts";

let server: TestServer;
afterEach(() => server.close());

const parts = [{ type: "text" as const, text: "one two three" }];

test("KIT5 a 429 has the status, the retry-after header and the provider's error format", async () => {
  const refuse = { status: 429, type: "rate_limit_error", message: "slow down", headers: { "retry-after": "7" } };
  const response = await ask([{ refuse }]);
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("7");
  expect(await response.json()).toEqual({ type: "error", error: { type: "rate_limit_error", message: "slow down" } });
});

test.each([500, 502, 503, 529])(
  "KIT5 a failure with status %i has the provider's format or a scripted body",
  async (status) => {
    const own = await ask([{ refuse: { status, message: "sorry" } }]);
    expect([own.status, await own.json()]).toMatchObject([status, { error: { message: "sorry" } }]);
    await server.close();
    const page = await ask([{ refuse: { status, message: "", body: "<html>Bad Gateway</html>" } }]);
    expect([page.status, await page.text()]).toEqual([status, "<html>Bad Gateway</html>"]);
  },
);

test("KIT5 Google reports the same error in its own format", async () => {
  const response = await askGoogle([{ refuse: { status: 429, message: "slow down" } }]);
  expect(await response.json()).toEqual({ error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } });
});

test("KIT5 a stall before the headers sends nothing until the client aborts", async () => {
  const failure = await ask([brokenReply({ how: "stall" })], AbortSignal.timeout(400)).catch(
    (error: Error) => error.name,
  );
  expect(failure).toBe("TimeoutError");
});

test("KIT5 a stall before the first event sends only the headers", async () => {
  const abort = new AbortController();
  const response = await ask([brokenReply({ how: "stall", after: 0 })], abort.signal);
  expect(response.status).toBe(200);
  setTimeout(() => abort.abort(), 500);
  expect(await readEvents(response)).toEqual({ events: [], end: "AbortError" });
});

test("KIT5 a stall in the middle sends the events before it, then nothing", async () => {
  const abort = new AbortController();
  const response = await ask([brokenReply({ how: "stall", after: 4 })], abort.signal);
  // Four events are written at once: after the first bytes, a second without data is the stall.
  const quiet = () => void setTimeout(() => abort.abort(), 1000);
  expect(await readEvents(response, quiet)).toEqual({
    events: ["message_start", "ping", "content_block_start", "content_block_delta"],
    end: "AbortError",
  });
});

test("KIT5 a cut before the headers closes the connection", async () => {
  expect(await ask([brokenReply({ how: "cut" })]).catch((error: Error) => error.message)).toBe("fetch failed");
});

test("KIT5 a cut in the middle sends the events before it, then closes the connection with an error", async () => {
  const response = await ask([brokenReply({ how: "cut", after: 3 })]);
  const { events, end } = await readEvents(response);
  expect(events).toEqual(["message_start", "ping", "content_block_start"]);
  expect(end).toBe("TypeError");
});

test("KIT5 an early end without the closing events looks like a complete response", async () => {
  const response = await ask([brokenReply({ how: "end", after: 4 })]);
  expect(await readEvents(response)).toEqual({
    events: ["message_start", "ping", "content_block_start", "content_block_delta"],
    end: "whole",
  });
});

test("KIT5 garbage replaces one event with invalid JSON and leaves the others valid", async () => {
  const response = await ask([brokenReply({ how: "garbage", after: 2 })]);
  const { events } = await readEvents(response);
  expect(events).toEqual([
    "message_start",
    "ping",
    "garbage",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("KIT5 an error inside the stream has the provider's format and ends the stream", async () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const text = await (await ask([brokenReply({ how: "error", after: 2, error })])).text();
  expect(text.trimEnd().split("\n").slice(-2)).toEqual([
    "event: error",
    'data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  ]);
  await server.close();
  const google = await (
    await askGoogle([brokenReply({ how: "error", after: 0, error: { type: "UNAVAILABLE", message: "Overloaded" } })])
  ).text();
  expect(google).toBe('data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n');
});

test("KIT5 a reply without streaming can break too: half of it arrives, or none", async () => {
  const script = [
    brokenReply({ how: "end", after: 1 }),
    brokenReply({ how: "cut", after: 1 }),
    brokenReply({ how: "garbage" }),
    brokenReply({ how: "error", error: { message: "no" } }),
  ];
  server = await startServer({ script });
  const once = () => post(`${server.url}/v1/messages`, question);
  const half = await (await once()).text();
  expect(half).toMatch(/^\{"id":"msg_/);
  expect(() => JSON.parse(half)).toThrow();
  expect(
    await once()
      .then((response) => response.text())
      .catch((error: Error) => error.name),
  ).toBe("TypeError");
  expect((await (await once()).text()).length).toBe(half.length);
  expect((await once()).status).toBe(500);
});

test("KIT5 a prompt that exceeds the window is refused with the provider's error, or silently truncated", async () => {
  const long = { ...question, messages: [{ role: "user", content: "x".repeat(8000) }] };
  server = await startServer({ script: () => "fine", window: { tokens: 1000, onOverflow: "refuse" } });
  const refused = await post(`${server.url}/v1/messages`, long);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { message: expect.stringMatching(/^prompt is too long: 20\d\d tokens > 1000 maximum$/) } },
  ]);
  await server.close();
  server = await startServer({ script: () => "fine", window: { tokens: 1000, onOverflow: "truncate" } });
  const cut = await post(`${server.url}/v1/messages`, long);
  expect([cut.status, await cut.json()]).toMatchObject([200, { usage: { input_tokens: 1000 } }]);
  expect(server.requests[0]).toMatchObject({ outcome: "said", truncated: expect.any(Number) });
});

test("KIT5 usage can be zero, absent, or set by the script", async () => {
  const counts = async (step: Step) => {
    server = await startServer({ script: [step, step] });
    const whole = (await (await post(`${server.url}/v1/messages`, question)).json()) as { usage: object };
    const google = (await (
      await post(`${server.url}/v1beta/models/gemini-2.5-pro:generateContent`, {
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
      })
    ).json()) as { usageMetadata?: object };
    await server.close();
    return { anthropic: whole.usage, google: google.usageMetadata };
  };
  expect(await counts({ parts, usage: "zero" })).toMatchObject({
    anthropic: { input_tokens: 0, output_tokens: 0 },
    google: { promptTokenCount: 0, totalTokenCount: 0 },
  });
  expect((await counts({ parts, usage: "none" })).google).toBeUndefined();
  expect(await counts({ parts, usage: { input: 5, cacheRead: 90, output: 7 } })).toMatchObject({
    anthropic: { input_tokens: 5, cache_read_input_tokens: 90, output_tokens: 7 },
    google: { promptTokenCount: 95, cachedContentTokenCount: 90, candidatesTokenCount: 7, totalTokenCount: 102 },
  });
});

test('KIT5 usage "none" in a stream is omitted by Google, and sent as zeros by Anthropic', async () => {
  const text = await (await ask([{ parts, usage: "none" }])).text();
  expect([...text.matchAll(/"usage":\{"input_tokens":(\d+),/g)].map(([, count]) => count)).toEqual(["0", "0"]);
  await server.close();
  expect(await (await askGoogle([{ parts, usage: "none" }])).text()).not.toMatch(/usage/);
});

test("KIT5 a pace waits before the first byte and between events", async () => {
  const begin = performance.now();
  const response = await ask([{ parts, pace: { waitMs: 200, everyMs: 50, chunk: 3 } }]);
  expect(performance.now() - begin).toBeGreaterThan(190);
  const { events } = await readEvents(response);
  expect(events.filter((name) => name === "content_block_delta")).toHaveLength(5);
  expect(performance.now() - begin).toBeGreaterThan(190 + 9 * 45);
});

test("KIT5 a request beyond the end of the script fails with a message and is logged", async () => {
  const response = await ask([]);
  const why = "request 1: the script ends after step 0";
  expect([response.status, await response.text()]).toEqual([500, `testkit: ${why}`]);
  expect(server.requests).toMatchObject([{ outcome: "failed", status: 500, why, wire: "anthropic-messages" }]);
});

test("KIT5 reports a mistake in a script at the start, or at the step that a function returns", async () => {
  await expect(startServer({ script: [{ part: [] } as unknown as Step] })).rejects.toThrow(
    "step 1 is an object with part",
  );
  await expect(startServer({ script: "hello" as unknown as Step[] })).rejects.toThrow("a list of steps");
  server = await startServer({ script: async () => 42 as unknown as Step });
  const response = await post(`${server.url}/v1/messages`, question);
  expect(await response.text()).toContain("the step for request 1 is 42: write a string");
});

test("KIT5 an event can be repeated a given number of times before the rest", async () => {
  const { events } = await readEvents(await ask([brokenReply({ how: "repeat", after: 3, times: 5 })]));
  expect(events.filter((event) => event === "content_block_delta")).toHaveLength(6);
  expect(events.at(-1)).toBe("message_stop");
});

test.each([{ how: "repeat", after: 3 } as const, { how: "long-line", after: 1 } as const])(
  "KIT5 $how without a number continues until the client disconnects",
  async (breaks) => {
    const response = await ask([brokenReply(breaks)]);
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      bytes += piece.length;
      if (bytes > 1_000_000) break;
    }
    expect(bytes).toBeGreaterThan(1_000_000);
  },
);

const question = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

function brokenReply(breaks: ReplyBreak): Step {
  return { parts, breaks };
}

async function ask(script: readonly Step[], signal?: AbortSignal): Promise<Response> {
  server = await startServer({ script });
  return post(`${server.url}/v1/messages`, { ...question, stream: true }, signal);
}

async function askGoogle(script: readonly Step[]): Promise<Response> {
  server = await startServer({ script });
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  return post(`${server.url}/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse`, { contents });
}

function post(url: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  const headers = { "x-api-key": "k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Reads the types of the events, and how the stream ended: completely, or with which error. */
async function readEvents(
  { body }: Response,
  onBytes = () => {},
): Promise<{ readonly events: readonly string[]; readonly end: string }> {
  let text = "";
  let end = "whole";
  try {
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      onBytes();
    }
  } catch (error) {
    end = (error as Error).name;
  }
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return { events: lines.map((line) => /^data: \{"type":"(\w+)"/.exec(line)?.[1] ?? "garbage"), end };
}
