/** Tests replies with a real client, which reads them and sends them back. */

import { createGoogleGenerativeAI } from "@ai-sdk/google";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { type Reply, type Step, startServer, type TestServer } from "../../../src/index.ts";
import { appendReply, readStream, readWhole } from "../../support/requests.ts";

const reply: Reply = {
  parts: [
    { type: "thinking", text: "First I look at both files, then I compare them. ".repeat(5) },
    { type: "text", text: "Let me look. ".repeat(20) },
    { type: "call", name: "read", arguments: { path: "a.ts", lines: [1, 2] }, id: "call-a" },
    { type: "call", name: "read", arguments: { path: "ü.ts" }, id: "call-b" },
  ],
};

let server: TestServer;
afterEach(() => server.close());

describe.each([
  ["streamed", readStream],
  ["whole", readWhole],
] as const)("%s", (_, ask) => {
  test("KIT1 a client reads text, thoughts, two calls and usage as scripted", async () => {
    const model = await startModel([reply]);
    const { content, finishReason, usage } = await ask(model, callOptions(question));
    expect(
      content.map((part) => ("text" in part ? [part.type, part.text] : [part.type, "input" in part ? part.input : ""])),
    ).toEqual([
      ["reasoning", "First I look at both files, then I compare them. ".repeat(5)],
      ["text", "Let me look. ".repeat(20)],
      ["tool-call", '{"path":"a.ts","lines":[1,2]}'],
      ["tool-call", '{"path":"ü.ts"}'],
    ]);
    expect(finishReason).toBe("tool-calls");
    const { input, cacheRead, output } = server.requests[0]?.usage ?? { input: 0, cacheRead: 0, output: 0 };
    expect(usage).toMatchObject({ input: { total: input, cacheRead }, output: { total: output } });
    expect(output).toBeGreaterThan(80);
  });

  test("KIT1 accepts a reply that is sent back with its results, turn after turn", async () => {
    const model = await startModel([
      reply,
      {
        parts: [
          { type: "thinking", text: "hm" },
          { type: "text", text: "done" },
          { type: "text", text: " now" },
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

  test("KIT1 reports replies that ended at the output limit, with a refusal or with an error", async () => {
    const parts = [{ type: "text" as const, text: "half" }];
    const model = await startModel([
      { parts, stop: "length" },
      { parts, stop: "refusal" },
      { parts, stopAs: "MALFORMED_FUNCTION_CALL" },
    ]);
    const reasons = [];
    for (let count = 0; count < 3; count += 1) reasons.push((await ask(model, callOptions(question))).finishReason);
    expect(reasons).toEqual(["length", "content-filter", "error"]);
  });
});

test("KIT1 the first call of a step has the signature; without a call, the last text has it", async () => {
  const model = await startModel([reply, "plain"]);
  const signed = async () =>
    (await readStream(model, callOptions(question))).content.map(
      (part) => part.providerMetadata?.google?.thoughtSignature !== undefined,
    );
  expect(await signed()).toEqual([false, false, true, false]);
  expect(await signed()).toEqual([true]);
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
    providerOptions: { google: { thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } } },
  };
}

async function startModel(script: readonly Step[]) {
  server = await startServer({ script });
  return createGoogleGenerativeAI({ baseURL: `${server.url}/v1beta`, apiKey: "test" })("gemini-3-pro-preview");
}
