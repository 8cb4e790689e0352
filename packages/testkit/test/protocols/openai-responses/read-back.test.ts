/** Tests replies with a real client, which reads them and sends them back. */

import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { type Reply, type Step, startServer, type TestServer } from "../../../src/index.ts";
import { appendReply, readStream, readWhole } from "../../support/requests.ts";

const reply: Reply = {
  parts: [
    { type: "thinking", text: "First I look at both files, then I compare them. ".repeat(5) },
    { type: "thinking", text: "nobody may read this", redacted: true },
    { type: "text", text: "Let me look. ".repeat(20) },
    { type: "call", name: "read", arguments: { path: "a.ts", lines: [1, 2] }, id: "call_a" },
    { type: "call", name: "read", arguments: { path: "ü.ts" }, id: "call_b" },
  ],
};

let server: TestServer;
afterEach(() => server.close());

describe.each([
  ["streamed", readStream],
  ["whole", readWhole],
] as const)("%s", (_, ask) => {
  test("KIT1 a client reads text, reasoning, encrypted reasoning, two calls and usage as scripted", async () => {
    const model = await startModel([reply]);
    const { content, finishReason, usage } = await ask(model, callOptions(question));
    expect(content.map((part) => [part.type, "text" in part ? part.text : "input" in part && part.input])).toEqual([
      ["reasoning", "First I look at both files, then I compare them. ".repeat(5)],
      ["reasoning", ""],
      ["text", "Let me look. ".repeat(20)],
      ["tool-call", '{"path":"a.ts","lines":[1,2]}'],
      ["tool-call", '{"path":"ü.ts"}'],
    ]);
    expect(content.map(({ providerMetadata }) => String(providerMetadata?.openai?.itemId).split("_")[0])).toEqual([
      "rs",
      "rs",
      "msg",
      "fc",
      "fc",
    ]);
    for (const { providerMetadata } of content.slice(0, 2))
      expect(providerMetadata?.openai?.reasoningEncryptedContent).toMatch(/^[A-Za-z0-9+/=]{80,}$/);
    expect(finishReason).toBe("tool-calls");
    const counted = server.requests[0]?.usage;
    expect(usage).toMatchObject({
      input: { noCache: counted?.input, cacheRead: 0 },
      output: { total: counted?.output, reasoning: 67 },
    });
  });

  test("KIT1 accepts a reply that is sent back with its results, turn after turn", async () => {
    const thought: Reply = {
      parts: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "done" },
      ],
    };
    const model = await startModel([reply, thought, "bye"]);
    const first = await ask(model, callOptions(question));
    const prompt = appendReply(question, first.content);
    const second = await ask(model, callOptions(prompt));
    await ask(model, callOptions(appendReply(prompt, second.content)));
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said", "said"]);
    const sealed = server.requests.map(({ body }) => JSON.stringify(body).match(/"encrypted_content":"/g)?.length ?? 0);
    expect(sealed).toEqual([0, 2, 3]);
  });

  test("KIT1 a client that has its items stored may reference them", async () => {
    const model = await startModel([reply, "bye"]);
    const keeping = { providerOptions: { openai: { store: true } } };
    const { content } = await ask(model, { ...callOptions(question), ...keeping });
    await ask(model, { ...callOptions(appendReply(question, content)), ...keeping });
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said"]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("item_reference");
  });

  test("KIT1 reports replies that ended at the output limit, at the filter or at the end of the window", async () => {
    const parts = [{ type: "text" as const, text: "half" }];
    const stops = ["length", "refusal", "context-window"] as const;
    const model = await startModel(stops.map((stop) => ({ parts, stop })));
    const reasons = [];
    for (const _ of stops) reasons.push((await ask(model, callOptions(question))).finishReason);
    expect(reasons).toEqual(["length", "content-filter", "length"]);
  });

  test("KIT1 a second request reads the prompt of the first from the cache", async () => {
    const model = await startModel(["one", "two"]);
    const long: LanguageModelV4Prompt = [{ role: "system", content: "Be brief. ".repeat(1000) }, ...question.slice(1)];
    await ask(model, callOptions(long));
    const { usage } = await ask(model, callOptions(long));
    expect(server.requests[1]?.usage?.cacheRead).toBeGreaterThan(2000);
    expect(usage.input).toMatchObject({ cacheRead: server.requests[1]?.usage?.cacheRead });
  });
});

test("KIT1 an error inside the stream reaches the client with its code", async () => {
  const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
  const model = await startModel([
    { parts: [{ type: "text", text: "half" }], breaks: { how: "error", after: 6, error } },
    { parts: [{ type: "text", text: "half" }], breaks: { how: "error", after: 6, error: { message: "overloaded" } } },
  ]);
  await expect(readStream(model, callOptions(question))).rejects.toMatchObject({
    code: error.code,
    message: error.message,
  });
  await expect(readStream(model, callOptions(question))).rejects.toMatchObject({ message: "overloaded" });
});

test("KIT1 a scripted refusal has the status and code of the script", async () => {
  const refuse = { status: 429, code: "insufficient_quota", message: "You exceeded your current quota." };
  const model = await startModel([{ refuse }]);
  await expect(readStream(model, callOptions(question))).rejects.toMatchObject({
    statusCode: 429,
    data: { error: { code: "insufficient_quota", type: "rate_limit_exceeded", param: null } },
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
    providerOptions: {
      openai: { store: false, include: ["reasoning.encrypted_content"], reasoningSummary: "auto" },
    },
  };
}

async function startModel(script: readonly Step[]): Promise<LanguageModelV4> {
  server = await startServer({ script });
  return createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "test" }).responses("gpt-5.1");
}
