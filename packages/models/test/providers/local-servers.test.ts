/** Tests local models over HTTP through the real package: probed windows and detected truncation. */

import type { Model, ModelEvent, Request } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import {
  createFileWindowStore,
  createMemoryWindowStore,
  type WindowStore,
} from "../../src/context-window/window-store.ts";
import { type OpenModelResult, openModel } from "../../src/open-model.ts";
import { lastOf, modelRequests } from "./protocols.ts";

const kinds = ["ollama", "llama.cpp", "lm-studio", "vllm"] as const;
const sizes = [8_192, 16_384, 32_768];
let server: TestServer;
afterEach(() => server.close());

describe.each(kinds.flatMap((kind) => sizes.map((tokens) => ({ kind, tokens }))))(
  "$kind with $tokens",
  ({ kind, tokens }) => {
    test("SEE2 is probed for its window although it reports no usage", async () => {
      const local = { kind, model: "qwen3", window: tokens, trainedWindow: 262_144 };
      server = await startServer({ script: () => ({ parts: [{ type: "text", text: "ok" }], usage: "zero" }), local });
      const opened = await open(kind);
      expect(opened.window()).toEqual({ tokens, source: "served" });
      expect(await ask(opened.model, 5_000)).toMatchObject({
        type: "reply-ended",
        message: { usage: { totalTokens: 0 } },
      });
      expect(opened.window()).toEqual({ tokens, source: "served" });
    });

    test("SEE6 truncates silently, which is detected at once and reported as overflow", async () => {
      server = await startServer({ script: () => "ok", window: { tokens, onOverflow: "truncate" } });
      const opened = await open(kind, 200_000);
      expect(await ask(opened.model, tokens * 0.6)).toMatchObject({ type: "reply-ended" });
      const cut = await ask(opened.model, tokens * 3);
      expect(cut).toMatchObject({ type: "reply-failed", failure: { kind: "overflow", limit: tokens } });
      expect(cut.type === "reply-failed" && cut.failure.message).toContain("silently");
      expect(opened.window()).toEqual({ tokens, source: "learned" });
      expect(await ask(opened.model, tokens * 0.6)).toMatchObject({ type: "reply-ended" });
      expect(modelRequests(server).map(({ truncated = 0 }) => truncated > 0)).toEqual([false, true, false]);
    });
  },
);

test("SYS2 declares no tools to a model that cannot call them, according to Ollama or the user; earlier calls become text (B4)", async () => {
  const local = { kind: "ollama", model: "qwen3", window: 8_192, supportsTools: false } as const;
  server = await startServer({ script: () => "ok", local });
  const request: Request = {
    system: [],
    tools: [{ name: "read", description: "Reads a file.", parameters: { type: "object" } }],
    messages: [
      { role: "user", content: "Look.", timestamp: 0 },
      { ...called, content: [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a.txt" } }] },
      {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "read",
        content: [{ type: "text", text: "one" }],
        isError: false,
        timestamp: 0,
      },
    ],
    thinking: "off",
    toolChoice: "auto",
    cacheMarks: [],
  };
  const opened = await open("ollama");
  expect(opened.model.takesTools).toBe(false);
  expect(opened.notes().join()).toMatch(/ollama\/qwen3 cannot call tools, so it .* choose another model/);
  expect(await lastOf(opened.model.stream(request, {}))).toMatchObject({ type: "reply-ended" });
  const [sent] = modelRequests(server).map(({ body }) => JSON.stringify(body));
  expect(sent).not.toMatch(/"tools"|tool_calls|"tool"/);
  expect(sent).toMatch(/\[called read with .*a\.txt.*\[result of read\].*one/);

  // Whoever knows better says so; the server's word is that it refuses then.
  const modelOptions = { provider: "ollama", model: "qwen3", baseUrl: `${server.url}/v1` };
  const corrected = await openModel(modelOptions, {
    environment: {},
    catalogue: createCatalogue({ userModels: { "ollama/*": { tools: true } } }),
  });
  if (corrected.type !== "opened") throw new Error(corrected.message);
  expect(corrected.model.takesTools).toBe(true);
  expect(corrected.notes()).toEqual([]);
  expect(await lastOf(corrected.model.stream(request, {}))).toMatchObject({
    type: "reply-failed",
    failure: { message: expect.stringContaining("does not support tools") },
  });
});

const called = {
  role: "assistant",
  api: "openai-completions",
  provider: "ollama",
  model: "other",
  usage: emptyUsage,
  stopReason: "toolUse",
  timestamp: 0,
} as const;

test("SEE10 uses a window that was learned twice in the next session", async () => {
  server = await startServer({ script: () => "ok", window: { tokens: 8_192, onOverflow: "truncate" } });
  const windows: WindowStore = createMemoryWindowStore();
  const first = await open("llama.cpp", 100_000, windows);
  for (let round = 0; round < 2; round += 1) await ask(first.model, 30_000);
  const second = await open("llama.cpp", 100_000, windows);
  expect(second.window()).toEqual({ tokens: 8_192, source: "learned" });
});

async function open(
  provider: string,
  contextWindow?: number,
  windows: WindowStore = createMemoryWindowStore(),
): Promise<Extract<OpenModelResult, { type: "opened" }>> {
  const modelOptions = {
    provider,
    model: "qwen3",
    apiKey: "any",
    baseUrl: `${server.url}/v1`,
    ...(contextWindow && { contextWindow }),
  };
  const opened = await openModel(modelOptions, { environment: {}, windowStore: windows });
  if (opened.type !== "opened") throw new Error(opened.message);
  return opened;
}

function ask(model: Model, tokens: number): Promise<ModelEvent> {
  const content = "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(tokens / 10));
  const request: Request = {
    system: [],
    tools: [],
    messages: [{ role: "user", content, timestamp: 0 }],
    thinking: "off",
    toolChoice: "auto",
    cacheMarks: [],
  };
  return lastOf(model.stream(request, {}));
}

test("SEE10 keeps the reply and adds a note when the learned window cannot be saved", async () => {
  server = await startServer({
    script: () => ({ refuse: { status: 400, message: "prompt is too long: 9000 tokens > 8192 maximum" } }),
  });
  const opened = await open("openai-compatible", undefined, createFileWindowStore("/dev/null/windows.json"));
  expect(await ask(opened.model, 9_000)).toMatchObject({
    type: "reply-failed",
    failure: { kind: "overflow", limit: 8_192 },
  });
  expect(opened.window()).toEqual({ tokens: 8_192, source: "learned" });
  expect(opened.notes()).toEqual([expect.stringContaining("could not be saved")]);
});

test("SEE1 assumes the window of an unknown model", async () => {
  server = await startServer({ script: () => "ok" });
  const opened = await openModel({
    provider: "openai",
    model: "nobody-knows-me",
    apiKey: "any",
    baseUrl: `${server.url}/v1`,
  });
  expect(opened.type === "opened" && opened.window()).toEqual({ tokens: 128_000, source: "assumed" });
});
