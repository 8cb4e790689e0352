/** Tests provider packages that are loaded by name, and the messages about what is missing. */

import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, expect, test } from "vitest";
import { type ModelOptions, openModel } from "../../src/open-model.ts";
import { lastOf } from "./protocols.ts";

const messages = [{ role: "user", content: "Hello?", timestamp: 0 }] as const;
const question = { system: [], tools: [], messages, thinking: "off", toolChoice: "auto", cacheMarks: [] } as const;
let server: TestServer | undefined;
afterEach(() => server?.close());

test("VOI12 loads any AI SDK provider package by name", async () => {
  server = await startServer({ script: ["Found me."] });
  const modelOptions = {
    provider: "mine",
    model: "claude-sonnet-4-5",
    package: "@ai-sdk/anthropic",
    baseUrl: `${server.url}/v1`,
    apiKey: "any",
  };
  const opened = await openModel(modelOptions, { environment: {} });
  if (opened.type !== "opened") throw new Error(opened.message);
  expect(opened.model).toMatchObject({ api: "anthropic-messages", provider: "mine" });
  expect(await lastOf(opened.model.stream(question, {}))).toMatchObject({
    message: { content: [{ text: "Found me." }] },
  });
});

test("VOI12 an error for a missing package says how to install it", async () => {
  const opened = await openModel({ provider: "x", model: "m", package: "@ai-sdk/not-there" }, { environment: {} });
  expect(opened).toEqual({
    type: "not-installed",
    message: "the package @ai-sdk/not-there is not installed; run: npm install @ai-sdk/not-there",
  });
});

test("VOI12 an error for a package that is not a provider names it", async () => {
  const opened = await openModel({ provider: "x", model: "m", package: "node:path" }, { environment: {} });
  expect(opened).toMatchObject({ type: "not-installed", message: expect.stringContaining("not an AI SDK 7 provider") });
});

test("VOI13 an error for incomplete options names what is missing and suggests a provider", async () => {
  const openMessage = async (options: ModelOptions) => {
    const opened = await openModel(options, { environment: { OPENAI_API_KEY: "  " } });
    return opened.type === "opened" ? "opened" : `${opened.type}: ${opened.message}`;
  };
  expect(await openMessage({ provider: "anthropic", model: "m" })).toBe(
    "no-key: anthropic needs an API key: set ANTHROPIC_API_KEY, or pass it as apiKey",
  );
  expect(await openMessage({ provider: "openai", model: "m", apiKey: "" })).toMatch(/^no-key/);
  expect(await openMessage({ provider: "antropic", model: "m" })).toMatch(
    /^unknown-provider: .* Did you mean anthropic\?/,
  );
  expect(await openMessage({ provider: "gemini", model: "m" })).toMatch(/Did you mean google\?/);
  expect(await openMessage({ provider: "zzzzzzzz", model: "m" })).not.toMatch(/Did you mean/);
  expect(await openMessage({ provider: "openai-compatible", model: "m" })).toMatch(/^incomplete: .*needs a base URL/);
  expect(await openMessage({ provider: "ollama", model: "m", baseUrl: "not a url" })).toMatch(
    /^incomplete: .*not an http or https URL/,
  );
  expect(await openMessage({ provider: "ollama", model: " " })).toMatch(/^incomplete: the model name is empty/);
});

test("VOI13 the API key is read from the first variable that is set", async () => {
  server = await startServer({ script: ["Hello."] });
  const opened = await openModel(
    { provider: "google", model: "gemini-3-pro-preview", baseUrl: `${server.url}/v1beta` },
    { environment: { GEMINI_API_KEY: "", GOOGLE_API_KEY: "from the environment" } },
  );
  expect(opened.type).toBe("opened");
});

test("VOI13 the base URL is read only from the given environment", async () => {
  server = await startServer({ script: () => "Hello." });
  const environment = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const opened = await openModel({ provider: "anthropic", model: "claude-sonnet-4-5" }, { environment });
  if (opened.type !== "opened") throw new Error(opened.message);
  expect(await lastOf(opened.model.stream(question, {}))).toMatchObject({ type: "reply-ended" });
  expect(server.requests).toMatchObject([{ path: "/v1/messages" }]);
});

test("VOI13 a smaller reply limit than the model's is accepted, a larger one is not", async () => {
  const longest = async (model: string, maxTokens: number) => {
    const opened = await openModel({ provider: "anthropic", model, maxTokens, apiKey: "any" }, { environment: {} });
    return opened.type === "opened" ? opened.model.maxTokens : opened.message;
  };
  expect(await longest("claude-opus-4-1", 100_000)).toBe(32_000);
  expect(await longest("claude-opus-4-1", 1_000)).toBe(1_000);
  expect(await longest("nobody-knows-me", 100_000)).toBe(100_000);
});
