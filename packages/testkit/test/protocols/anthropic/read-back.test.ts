/** Tests replies with a real client, which reads them and sends them back. */

import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { type Reply, type Step, startServer, type TestServer } from "../../../src/index.ts";
import { appendReply, readStream, readWhole } from "../../support/requests.ts";

const reply: Reply = {
  parts: [
    { type: "thinking", text: "First I look at both files, then I compare them. ".repeat(5) },
    { type: "thinking", text: "nobody may read this", redacted: true },
    { type: "text", text: "Let me look. ".repeat(20) },
    { type: "call", name: "read", arguments: { path: "a.ts", lines: [1, 2] }, id: "toolu_a" },
    { type: "call", name: "read", arguments: { path: "ü.ts" }, id: "toolu_b" },
  ],
};

let server: TestServer;
afterEach(() => server.close());

describe.each([
  ["streamed", readStream],
  ["whole", readWhole],
] as const)("%s", (_, ask) => {
  test("KIT1 a client reads text, thinking, redacted thinking, two calls and usage as scripted", async () => {
    const model = await startModel([reply]);
    const { content, finishReason, usage } = await ask(model, callOptions(question));
    expect(
      content.map((part) => ("text" in part ? [part.type, part.text] : [part.type, "input" in part ? part.input : ""])),
    ).toEqual([
      ["reasoning", "First I look at both files, then I compare them. ".repeat(5)],
      ["reasoning", ""],
      ["text", "Let me look. ".repeat(20)],
      ["tool-call", '{"path":"a.ts","lines":[1,2]}'],
      ["tool-call", '{"path":"ü.ts"}'],
    ]);
    expect(content[0]?.providerMetadata?.anthropic?.signature).toMatch(/^[A-Za-z0-9+/=]{80,}$/);
    expect(content[1]?.providerMetadata?.anthropic?.redactedData).toMatch(/^[A-Za-z0-9+/=]{80,}$/);
    expect(finishReason).toBe("tool-calls");
    const { input, cacheRead, cacheWrite, output } = server.requests[0]?.usage ?? {
      input: 0,
      cacheRead: 0,
      cacheWrite: 0,
      output: 0,
    };
    expect(usage).toMatchObject({ input: { noCache: input, cacheRead, cacheWrite }, output: { total: output } });
    expect(output).toBeGreaterThan(80);
  });

  test("KIT1 accepts a reply that is sent back with its results, turn after turn", async () => {
    const model = await startModel([
      reply,
      {
        parts: [
          { type: "thinking", text: "hm" },
          { type: "text", text: "done" },
        ],
      },
      "bye",
    ]);
    const first = await ask(model, callOptions(question));
    const prompt = appendReply(question, first.content);
    const second = await ask(model, callOptions(prompt));
    await ask(model, callOptions(appendReply(prompt, second.content)));
    expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said", "said"]);
  });

  test("KIT1 reports replies that ended at the output limit, with a refusal or at the end of the window", async () => {
    const parts = [{ type: "text" as const, text: "half" }];
    const model = await startModel([
      { parts, stop: "length" },
      { parts, stop: "refusal" },
      { parts, stop: "context-window" },
    ]);
    const reasons = [];
    for (let count = 0; count < 3; count += 1) reasons.push((await ask(model, callOptions(question))).finishReason);
    expect(reasons).toEqual(["length", "content-filter", "length"]);
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
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
  };
}

async function startModel(script: readonly Step[]) {
  server = await startServer({ script });
  return createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "test" })("claude-sonnet-4-5");
}
