/** Replies as a real client reads them from the wire, and sends them back. */

import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { type Reply, type Step, startServer, type TestServer } from "../../../src/index.ts";
import { appendReply, readWhole } from "../../server/read-reply.ts";
import { readStream } from "./read-stream.ts";

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
  test("KIT1 text, reasoning, sealed reasoning, two calls and usage are read as they were scripted", async () => {
    const model = await modelThatSays([reply]);
    const { content, finishReason, usage } = await ask(model, asking(question));
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

  test("KIT1 sent back with its results, a reply is accepted, turn after turn", async () => {
    const thought: Reply = {
      parts: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "done" },
      ],
    };
    const model = await modelThatSays([reply, thought, "bye"]);
    const first = await ask(model, asking(question));
    const prompt = appendReply(question, first.content);
    const second = await ask(model, asking(prompt));
    await ask(model, asking(appendReply(prompt, second.content)));
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said", "said"]);
    const sealed = server.requests.map(({ body }) => JSON.stringify(body).match(/"encrypted_content":"/g)?.length ?? 0);
    expect(sealed).toEqual([0, 2, 3]);
  });

  test("KIT1 a client that lets the provider keep the items may refer to them", async () => {
    const model = await modelThatSays([reply, "bye"]);
    const keeping = { providerOptions: { openai: { store: true } } };
    const { content } = await ask(model, { ...asking(question), ...keeping });
    await ask(model, { ...asking(appendReply(question, content)), ...keeping });
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said"]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("item_reference");
  });

  test("KIT1 a reply that ran out of room, was filtered or met the end of the window says so", async () => {
    const parts = [{ type: "text" as const, text: "half" }];
    const stops = ["length", "refusal", "context-window"] as const;
    const model = await modelThatSays(stops.map((stop) => ({ parts, stop })));
    const reasons = [];
    for (const _ of stops) reasons.push((await ask(model, asking(question))).finishReason);
    expect(reasons).toEqual(["length", "content-filter", "length"]);
  });

  test("KIT1 a second request reads the first one's prompt from the cache", async () => {
    const model = await modelThatSays(["one", "two"]);
    const long: LanguageModelV4Prompt = [{ role: "system", content: "Be brief. ".repeat(1000) }, ...question.slice(1)];
    await ask(model, asking(long));
    const { usage } = await ask(model, asking(long));
    expect(server.requests[1]?.usage?.cacheRead).toBeGreaterThan(2000);
    expect(usage.input).toMatchObject({ cacheRead: server.requests[1]?.usage?.cacheRead });
  });
});

test("KIT1 an error inside the stream reaches the client with its code", async () => {
  const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
  const model = await modelThatSays([
    { parts: [{ type: "text", text: "half" }], breaks: { how: "error", after: 6, error } },
    { parts: [{ type: "text", text: "half" }], breaks: { how: "error", after: 6, error: { message: "overloaded" } } },
  ]);
  await expect(readStream(model, asking(question))).rejects.toMatchObject({ code: error.code, message: error.message });
  await expect(readStream(model, asking(question))).rejects.toMatchObject({ message: "overloaded" });
});

test("KIT1 a refusal of the script's bears the status and code it names", async () => {
  const refuse = { status: 429, code: "insufficient_quota", message: "You exceeded your current quota." };
  const model = await modelThatSays([{ refuse }]);
  await expect(readStream(model, asking(question))).rejects.toMatchObject({
    statusCode: 429,
    data: { error: { code: "insufficient_quota", type: "rate_limit_exceeded", param: null } },
  });
});

const question: LanguageModelV4Prompt = [
  { role: "system", content: "You compare files." },
  { role: "user", content: [{ type: "text", text: "compare a and b" }] },
];

function asking(prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions {
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

async function modelThatSays(script: readonly Step[]): Promise<LanguageModelV4> {
  server = await startServer({ script });
  return createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "test" }).responses("gpt-5.1");
}
