/** Tests every failure of a provider on each protocol over HTTP: each has a failure kind, and none hangs. */

import type { Model, ModelEvent, Request } from "@pith/context";
import { type Script, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { defaultRequestPolicy } from "../../src/retry.ts";
import { type Endpoint, endpoints, modelOf, modelRequests } from "./protocols.ts";

const long: Step & object = { parts: [{ type: "text", text: "It was a dark and stormy night. ".repeat(40) }] };
let server: TestServer;
afterEach(() => server.close());

describe.each(endpoints)("$provider", (endpoint) => {
  const outcomes: readonly (readonly [string, Step, object])[] = [
    ["429 with Retry-After", refuse(429, { "retry-after": "7" }), { kind: "busy", retryAfterMs: 7_000 }],
    ["429 without Retry-After", refuse(429), { kind: "busy" }],
    ["500", refuse(500), { kind: "unreachable" }],
    ["502", refuse(502), { kind: "unreachable" }],
    ["503", refuse(503), { kind: "busy" }],
    ["401", refuse(401), { kind: "refused" }],
    ["an unknown 400", refuse(400), { kind: "refused" }],
    [
      "an answer of HTML",
      { refuse: { status: 502, message: "", body: "<html><title>Bad Gateway</title></html>" } },
      { kind: "unreachable" },
    ],
    ["silence before the headers", { ...long, breaks: { how: "stall" } }, { kind: "unreachable" }],
    ["silence before the first event", { ...long, breaks: { how: "stall", after: 0 } }, { kind: "unreachable" }],
    ["silence in the middle", { ...long, breaks: { how: "stall", after: 4 } }, { kind: "unreachable" }],
    ["a connection cut before the headers", { ...long, breaks: { how: "cut" } }, { kind: "unreachable" }],
    ["a connection cut in the middle", { ...long, breaks: { how: "cut", after: 4 } }, { kind: "unreachable" }],
    ["a response that ends early", { ...long, breaks: { how: "end", after: 4 } }, { kind: "unreachable" }],
    ["an event that is not JSON", { ...long, breaks: { how: "garbage", after: 4 } }, { kind: "unreachable" }],
    ["an overload in the middle", { ...long, breaks: { how: "error", after: 4, error: overloaded } }, { kind: "busy" }],
    [
      "an overflow in the middle",
      { ...long, breaks: { how: "error", after: 1, error: overflow } },
      { kind: "overflow" },
    ],
    ["a refusal", { ...long, stop: "refusal" }, { kind: "refused" }],
  ];

  test.each(outcomes)("VOI7 %s ends the reply with the right failure kind", async (_, step, failure) => {
    const model = await begin(endpoint, [step], 400);
    const events = await all(model);
    expect(events.filter(({ type }) => type === "reply-ended" || type === "reply-failed")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "reply-failed", failure });
  });

  const silences: readonly (readonly [string, Step, string])[] = [
    ["no headers", { ...long, breaks: { how: "stall" } }, "nothing for 0.6 s"],
    ["headers only", { ...long, breaks: { how: "stall", after: 0 } }, "nothing for 0.6 s"],
    ["a first token", { ...long, breaks: { how: "stall", after: 6 } }, "nothing for 0.3 s"],
  ];

  test.each(silences)(
    "VOI14 after %s and then silence, the request is given up and retried once",
    async (_, step, message) => {
      server = await startServer({ script: [step, step] });
      const waits = { firstWaitMs: 10, firstTokenTimeoutMs: 600, idleTimeoutMs: 300 };
      const model = await modelOf(endpoint, server, { requestPolicy: { ...defaultRequestPolicy, ...waits } });
      const failure = expect.objectContaining({ kind: "unreachable", message: expect.stringContaining(message) });
      const ends = (await all(model)).filter(({ type }) => type === "reply-restarted" || type === "reply-failed");
      expect(ends).toMatchObject([
        { type: "reply-restarted", failure },
        { type: "reply-failed", failure },
      ]);
      expect(modelRequests(server)).toHaveLength(2);
    },
  );

  test("VOI7 keeps the incomplete reply when the connection is cut", async () => {
    const model = await begin(endpoint, [{ ...long, breaks: { how: "cut", after: 6 } }]);
    const end = (await all(model)).at(-1);
    expect(end).toMatchObject({ type: "reply-failed", message: { stopReason: "error", content: [{ type: "text" }] } });
  });

  test.each(["zero", "none"] as const)("VOI8 accepts a reply with usage %s", async (usage) => {
    const model = await begin(endpoint, [{ ...long, usage }]);
    expect((await all(model)).at(-1)).toMatchObject({ type: "reply-ended", message: { usage: { totalTokens: 0 } } });
  });

  const moments: readonly (readonly [string, Step])[] = [
    ["before the headers", { ...long, breaks: { how: "stall" } }],
    ["before the first event", { ...long, breaks: { how: "stall", after: 0 } }],
    ["in the middle", { ...long, breaks: { how: "stall", after: 5 } }],
    ["during the stream", { ...long, pace: { everyMs: 30 } }],
    ["while it waits to retry", refuse(429, { "retry-after": "60" })],
  ];

  test.each(moments)("VOI9 an abort %s ends the reply within 200 ms", async (_, step) => {
    const tries: number[] = [];
    for (let round = 0; round < 3 && !tries.some((ms) => ms < 200); round += 1) {
      await server?.close();
      tries.push(await abortedAfter(await begin(endpoint, () => step, 60_000, 3)));
    }
    expect(Math.min(...tries)).toBeLessThan(200);
  });

  test("VOI10 retries after the connection is cut", async () => {
    const model = await begin(endpoint, [{ ...long, breaks: { how: "cut", after: 4 } }, "Here I am again."], 10_000, 2);
    const kinds = (await all(model)).map(({ type }) => type);
    expect(kinds.filter((kind) => kind !== "text-delta")).toEqual(["reply-restarted", "reply-ended"]);
    expect(modelRequests(server)).toHaveLength(2);
  });
});

const overloaded = { type: "overloaded_error", code: "server_is_overloaded", message: "Overloaded" };
const overflow = {
  type: "invalid_request_error",
  code: "context_length_exceeded",
  message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
};

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): Step {
  return { refuse: { status, headers, message: `the scripted ${status}` } };
}

async function begin(endpoint: Endpoint, script: Script, silenceMs = 60_000, retries = 0): Promise<Model> {
  server = await startServer({ script });
  return modelOf(endpoint, server, {
    requestPolicy: {
      ...defaultRequestPolicy,
      firstWaitMs: 10,
      firstTokenTimeoutMs: silenceMs,
      idleTimeoutMs: silenceMs,
      retries,
    },
  });
}

const request: Request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: "Are you there?", timestamp: 0 }],
  thinking: "off",
  toolChoice: "auto",
  cacheMarks: [],
};

async function all(model: Model, signal?: AbortSignal): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal ? { signal } : {})) events.push(event);
  return events;
}

async function abortedAfter(model: Model): Promise<number> {
  const abort = new AbortController();
  let startConversation = 0;
  setTimeout(() => {
    startConversation = performance.now();
    abort.abort();
  }, 300);
  const events = await all(model, abort.signal);
  expect(events.at(-1)).toMatchObject({ type: "reply-failed", failure: { kind: "aborted" } });
  return performance.now() - startConversation;
}
