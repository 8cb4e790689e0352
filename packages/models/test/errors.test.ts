/** Tests errors.ts: error kinds, retry after, error messages. */

import type { ModelFailure } from "@pith/context";
import { type RefusalStep, type Script, startServer } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import { formatErrorText, parseRetryAfter } from "../src/errors.ts";
import { openModel } from "../src/open-model.ts";
import { lastOf, modelAt, names } from "./served.ts";
import { requestOf, user } from "./support/messages.ts";

describe("error kinds", () => {
  const request = requestOf([user("A secret question.")]);

  async function endOf(script: Script, name = names[0] ?? { api: "", provider: "", model: "" }) {
    const server = await startServer({ script });
    try {
      return await lastOf(modelAt(server.url, name), request);
    } finally {
      await server.close();
    }
  }

  async function failureOf(script: Script, name?: (typeof names)[number]): Promise<ModelFailure | null> {
    const last = await endOf(script, name);
    return last?.type === "reply-failed" ? last.failure : null;
  }

  const refused = (status: number, message: string, more: Partial<RefusalStep["refuse"]> = {}): Script => [
    { refuse: { status, message, ...more } },
  ];

  describe.each(names)("$api", (name) => {
    test("MOD3 an error about a context that is too long is overflow, with the named limit", async () => {
      expect(await failureOf(refused(400, "prompt is too long: 213462 tokens > 200000 maximum"), name)).toMatchObject({
        kind: "overflow",
        limit: 200_000,
      });
    });

    test("MOD3 an error about a body that is too large is payload", async () => {
      expect(await failureOf(refused(413, "Request exceeds the maximum size of 32 MB"), name)).toMatchObject({
        kind: "payload",
      });
    });

    test("MOD4 a rate limit is busy, with its Retry-After", async () => {
      const after = (headers: Record<string, string>) =>
        failureOf(refused(429, "Too many requests", { headers }), name);
      expect(await after({ "retry-after": "7" })).toMatchObject({ kind: "busy", retryAfterMs: 7000 });
      expect(await after({ "retry-after-ms": "250", "retry-after": "7" })).toMatchObject({ retryAfterMs: 250 });
      const date = new Date(1_000_000 + 9000).toUTCString();
      expect(await after({ "retry-after": date })).toMatchObject({ kind: "busy", retryAfterMs: 9000 });
      expect(await failureOf(refused(429, "Rate limit reached. Please try again in 4.77s."), name)).toMatchObject({
        kind: "busy",
        retryAfterMs: 4770,
      });
    });

    test("MOD3 an error about more than the quota of a minute is quota", async () => {
      const text = "Request too large on tokens per min (TPM): Limit 30000, Requested 45231.";
      expect(await failureOf(refused(429, text), name)).toMatchObject({ kind: "quota", limit: 30_000 });
    });

    test.each([
      [500, "unreachable"],
      [502, "unreachable"],
      [408, "unreachable"],
      [503, "busy"],
      [529, "busy"],
      [400, "refused"],
      [401, "refused"],
      [403, "refused"],
      [404, "refused"],
    ])("MOD3 status %d is %s", async (status, kind) => {
      expect(await failureOf(refused(status, "Something is the matter."), name)).toMatchObject({ kind });
    });

    test("MOD5 the error contains only the provider's message", async () => {
      const failure = await failureOf(refused(401, "Incorrect API key provided: sk-very-secret-key-1234."), name);
      expect(failure?.message).toBe(`${name.provider} returned 401: Incorrect API key provided: [key]`);
      const whole = JSON.stringify(failure?.message);
      expect(whole).not.toMatch(/secret|\{/);
      const page = await failureOf(refused(502, "", { body: "<html><head><title>Bad Gateway</title></head>…" }), name);
      expect(page?.message).toBe(`${name.provider} returned 502: Bad Gateway`);
      expect(JSON.stringify(page)).not.toContain("A secret question");
    });

    test("MOD6 keeps the incomplete reply of a broken stream", async () => {
      for (const how of ["cut", "end"] as const) {
        const last = await endOf(
          [{ parts: [{ type: "text", text: "word ".repeat(100) }], pace: { chunk: 20 }, breaks: { how, after: 6 } }],
          name,
        );
        expect(last).toMatchObject({ type: "reply-failed", failure: { kind: "unreachable" } });
        const { message } = last as { readonly message?: { readonly content?: unknown; readonly stopReason?: string } };
        expect(message?.stopReason).toBe("error");
        expect(JSON.stringify(message?.content)).toContain("word");
      }
    });

    test("MOD3 a response that is not valid gives the error 'unreachable'", async () => {
      const broken = await failureOf(
        [
          {
            parts: [{ type: "text", text: "word ".repeat(100) }],
            pace: { chunk: 20 },
            breaks: { how: "garbage", after: 5 },
          },
        ],
        name,
      );
      expect(broken).toMatchObject({
        kind: "unreachable",
        message: `${name.provider} sent a response that cannot be parsed`,
      });
    });

    test("MOD3 an error inside the stream is classified like any other", async () => {
      const error = (after: number, message: string, type: string, code: string) =>
        failureOf(
          [
            {
              parts: [{ type: "text", text: "word ".repeat(100) }],
              pace: { chunk: 20 },
              breaks: { how: "error", after, error: { message, type, code } },
            },
          ],
          name,
        );
      for (const after of [1, 6]) {
        expect(
          await error(
            after,
            "prompt is too long: 213462 tokens > 200000 maximum",
            "invalid_request_error",
            "context_length_exceeded",
          ),
        ).toMatchObject({ kind: "overflow" });
        expect(await error(after, "Overloaded", "overloaded_error", "server_overloaded")).toMatchObject({
          kind: "busy",
        });
      }
    });

    test("MOD3 a server that is not running is unreachable", async () => {
      const server = await startServer({ script: [] });
      await server.close();
      expect(await lastOf(modelAt(server.url, name), request)).toMatchObject({
        type: "reply-failed",
        failure: { kind: "unreachable" },
      });
    });

    test.each([
      [401, "invalid x-api-key", "refused", "invalid-key"],
      [403, "This API key was disabled.", "refused", "invalid-key"],
      [400, "API key not valid. Please pass a valid API key.", "refused", "invalid-key"],
      [403, "Your country is not supported.", "refused", "no-access"],
      [402, "Insufficient Balance", "refused", "no-credit"],
      [400, "Your credit balance is too low.", "refused", "no-credit"],
      [404, "model: claude-sonet-4-5", "refused", "unknown-model"],
      [400, "The model `gpt-9` does not exist", "refused", "unknown-model"],
      [404, "Not Found", "refused", "unknown-path"],
      [429, "Too many requests", "busy", "rate-limit"],
    ])("MOD14 an error %i %s is %s with the reason %s", async (status, message, kind, reason) => {
      expect(await failureOf(refused(status, message), name)).toMatchObject({ kind, reason });
    });

    test("MOD3 a reply that was filtered is refused, and its text is not shown as the provider's reason", async () => {
      expect(await failureOf([{ parts: [{ type: "text", text: "No." }], stop: "refusal" }], name)).toMatchObject({
        kind: "refused",
        message: expect.stringMatching(/ ended the reply \([^)]+\)(?:; its text: "No\.")?$/),
      });
    });
  });
});

describe("connection failures", () => {
  async function failureAt(baseUrl: string): Promise<ModelFailure | null> {
    const options = { provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl };
    const opened = await openModel(options, {
      environment: {},
      requestPolicy: { retries: 0, firstTokenTimeoutMs: 200 },
    });
    if (opened.type !== "opened") throw new Error(opened.message);
    const last = await lastOf(opened.model, requestOf([user("Hello?")]));
    return last?.type === "reply-failed" ? last.failure : null;
  }

  test("MOD14 a refused connection, an unknown host, a failed handshake and a timeout have different reasons", async () => {
    const server = await startServer({ script: [{ parts: [], breaks: { how: "stall" } }] });
    const reasons = [];
    for (const url of [
      "http://127.0.0.1:1",
      "http://no-such-host.invalid",
      server.url.replace("http:", "https:"),
      server.url,
    ])
      reasons.push((await failureAt(url))?.reason);
    await server.close();
    expect(reasons).toEqual(["connection-refused", "unknown-host", "tls", "timeout"]);
  });
});

describe("retry after", () => {
  const now = (): number => Date.parse("2026-01-01T00:00:00Z");
  const after = (text: string, headers: Record<string, string> = {}) => parseRetryAfter({ headers, text }, now);

  test.each([
    ["Please try again in 4.77s. Visit our page.", 4770],
    ["Please try again in 1m30s.", 90_000],
    ["Please try again in 6m0s.", 360_000],
    ["Please retry in 37.5s.", 37_500],
    ["Try again in 820ms", 820],
    ["Rate limited, retry after 20 seconds", 20_000],
    ["please retry after 2 minutes", 120_000],
    ['{"details":[{"retryDelay": "34s"}]}', 34_000],
    ["try again later", undefined],
    ["try again in a while", undefined],
    ["", undefined],
  ])("MOD4 is parsed from the text %s, if it has one", (text, ms) => {
    expect(after(text)).toBe(ms);
  });

  test("MOD4 is taken from a header before the text and from milliseconds before seconds, and a past date is now", () => {
    expect(after("try again in 9s", { "Retry-After": "2" })).toBe(2000);
    expect(after("", { "retry-after": "2", "retry-after-ms": "150.2" })).toBe(151);
    expect(after("", { "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" })).toBe(10_000);
    expect(after("", { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0);
    expect(after("try again in 9s", { "retry-after": "soon" })).toBe(9000);
  });

  test("MOD4 of a hostile text is parsed in time", () => {
    const hostile = "try again in 1.1.1.1.1.1.1.1 ".repeat(50_000);
    const began = performance.now();
    after(hostile);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("error messages", () => {
  test.each([
    ['{"error":{"message":"No such model","type":"x"}}', "No such model"],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "Overloaded"],
    ['[{"error":{"code":400,"message":"Bad request"}}]', "Bad request"],
    ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"deep inside\\"}}"}}', "deep inside"],
    ['{"detail":"Not here"}', "Not here"],
    ['{"type":"response.failed","response":{"error":{"code":"x","message":"It failed"}}}', "It failed"],
    ["  plain\n  words  ", "plain words"],
    ["<!DOCTYPE html><html><head><title>504 Gateway Time-out</title></head></html>", "504 Gateway Time-out"],
    ["<html><body>sorry</body></html>", "the response is a web page"],
    ["", ""],
  ])("MOD5 are read from the body %s", (text, words) => {
    expect(formatErrorText(text)).toBe(words);
  });

  test("MOD5 have no keys and a limited length", () => {
    const keys = ["sk-ant-api03-abcdefghijk", "sk-proj-1234567890", "AIzaSyA1234567890abcdefg", "gsk_abcdefgh12345678"];
    for (const key of keys)
      expect(formatErrorText(`Incorrect API key provided: ${key} (see your settings)`)).not.toContain(key);
    expect(formatErrorText("x".repeat(10_000))).toHaveLength(301);
  });
});
