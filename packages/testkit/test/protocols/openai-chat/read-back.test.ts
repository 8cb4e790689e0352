/** Tests replies with two real clients, which read them and send them back. */

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { type Reply, type Step, startServer, type TestServer } from "../../../src/index.ts";
import { appendReply, readStream, readWhole } from "../../support/requests.ts";

const thinking = "First I look at both files, then I compare them. ".repeat(5);
const reply: Reply = {
  parts: [
    { type: "thinking", text: thinking },
    { type: "text", text: "Let me look. ".repeat(20) },
    { type: "call", name: "read", arguments: { path: "a.ts", lines: [1, 2] }, id: "call_a" },
    { type: "call", name: "read", arguments: { path: "ü.ts" }, id: "call_b" },
  ],
};

let server: TestServer;
afterEach(() => server.close());

describe.each([
  ["openai, streamed", openai, readStream],
  ["openai, whole", openai, readWhole],
  ["openai-compatible, streamed", compatible, readStream],
  ["openai-compatible, whole", compatible, readWhole],
] as const)("%s", (_, client, ask) => {
  test("KIT1 a client reads text, thinking, two calls and usage as scripted", async () => {
    const model = await startModel([reply], client);
    const { content, finishReason, usage } = await ask(model, callOptions(question));
    const read = content.map((part) => [part.type, "text" in part ? part.text : "input" in part && part.input]);
    expect(read.filter(([type]) => type === "reasoning")).toEqual(client === openai ? [] : [["reasoning", thinking]]);
    expect(read.filter(([type]) => type !== "reasoning")).toEqual([
      ["text", "Let me look. ".repeat(20)],
      ["tool-call", '{"path":"a.ts","lines":[1,2]}'],
      ["tool-call", '{"path":"ü.ts"}'],
    ]);
    expect(finishReason).toBe("tool-calls");
    const counted = server.requests[0]?.usage;
    expect(usage).toMatchObject({
      input: { noCache: counted?.input, cacheRead: 0 },
      output: { total: counted?.output, reasoning: 62 },
    });
  });

  test("KIT1 accepts a reply that is sent back with its results, turn after turn", async () => {
    const thought: Reply = {
      parts: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "done" },
      ],
    };
    const model = await startModel([reply, thought, "bye"], client);
    const first = await ask(model, callOptions(question));
    const prompt = appendReply(question, first.content);
    const second = await ask(model, callOptions(prompt));
    await ask(model, callOptions(appendReply(prompt, second.content)));
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said", "said"]);
  });

  test("KIT1 reports replies that ended at the output limit, at the filter, at the end of the window or with another finish reason", async () => {
    const parts = [{ type: "text" as const, text: "half" }];
    const stops = [{ stop: "length" }, { stop: "refusal" }, { stop: "context-window" }, { stopAs: "eos" }] as const;
    const model = await startModel(
      stops.map((stop) => ({ parts, ...stop })),
      client,
    );
    const reasons = [];
    for (const _ of stops) reasons.push((await ask(model, callOptions(question))).finishReason);
    expect(reasons).toEqual(["length", "content-filter", "length", "other"]);
  });
});

describe.each([
  ["openai", openai],
  ["openai-compatible", compatible],
] as const)("%s", (_, client) => {
  test("KIT1 an error inside the stream reaches the client", async () => {
    const error = { type: "server_error", message: "The server had an error while processing your request." };
    const parts = [{ type: "text" as const, text: "half" }];
    const model = await startModel([{ parts, breaks: { how: "error", after: 2, error } }], client);
    const caught: unknown = await readStream(model, callOptions(question)).catch((failure: unknown) => failure);
    expect(caught instanceof Error ? caught.message : JSON.stringify(caught)).toContain(error.message);
  });
});

const question: LanguageModelV4Prompt = [
  { role: "system", content: "You compare files." },
  { role: "user", content: [{ type: "text", text: "compare a and b" }] },
];

function callOptions(prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions {
  const inputSchema = {
    type: "object" as const,
    properties: { path: { type: "string" as const } },
    required: ["path"],
  };
  return {
    prompt,
    maxOutputTokens: 1000,
    tools: [{ type: "function", name: "read", description: "Reads a file.", inputSchema }],
    toolChoice: { type: "auto" },
  };
}

type Client = (baseURL: string) => LanguageModelV4;

function openai(baseURL: string): LanguageModelV4 {
  return createOpenAI({ baseURL, apiKey: "test" }).chat("gpt-4.1");
}

function compatible(baseURL: string): LanguageModelV4 {
  return createOpenAICompatible({ name: "local", baseURL, apiKey: "test", includeUsage: true })("qwen3-coder");
}

async function startModel(script: readonly Step[], client: Client): Promise<LanguageModelV4> {
  server = await startServer({ script });
  return client(`${server.url}/v1`);
}
