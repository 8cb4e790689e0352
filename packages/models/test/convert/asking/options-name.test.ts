/** Packages that read provider options under a name of their own. */

import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AssistantMessage, Message, ModelName, ToolCallBlock } from "@pith/context";
import { type Script, startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { callOptions, emptyDraft, fold, messageOf } from "../../../src/convert/index.ts";
import { anthropic, requestOf, result, says, tool, user } from "./requests.ts";

const azure: ModelName = { api: "openai-responses", provider: "azure", model: "gpt-5" };

const script: Script = [
  {
    parts: [
      { type: "thinking", text: "I should look." },
      { type: "call", name: "read", arguments: { path: "a" } },
    ],
  },
  "fine",
];

test("CNV19 Azure's package finds the reasoning and the settings under its own name", async () => {
  const server = await startServer({ script });
  try {
    const language = createOpenAI({ name: "azure", baseURL: `${server.url}/v1`, apiKey: "test" }).responses("gpt-5");
    expect(language.provider).toBe("azure.responses");
    const first = await reply(language, [user("go")]);
    const [, call] = first.content;
    await reply(language, [user("go"), first, result((call as ToolCallBlock).id, "x")]);
    expect(server.served.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said"]);
    expect(server.served[1]?.body).toMatchObject({
      store: false,
      reasoning: { summary: "auto" },
      input: [{}, { type: "reasoning", summary: [{ text: "I should look." }] }, { type: "function_call" }, {}],
    });
  } finally {
    await server.close();
  }
});

async function reply(language: LanguageModelV4, messages: readonly Message[]): Promise<AssistantMessage> {
  const request = requestOf(messages, { tools: [tool("read")], thinking: "high" });
  const options = callOptions(request, { to: azure, maxTokens: 1000, optionsName: "azure" });
  let draft = emptyDraft();
  for await (const part of (await language.doStream(options)).stream) draft = fold(draft, part);
  return messageOf(draft, { from: azure, stopReason: "toolUse", timestamp: 0 });
}

test("CNV19 call, tools, parts and marks bear both names, and without another name only the usual one", () => {
  const marked = requestOf(
    [user("hi"), says([{ type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" }], anthropic), user("on")],
    {
      tools: [tool("read")],
      thinking: "high",
      system: [{ name: "prompt", text: "You help." }],
      cacheMarks: [{ after: "tools" }, { after: "system" }, { after: "message", index: 2 }],
    },
  );
  const options = callOptions(marked, { to: anthropic, maxTokens: 1000, optionsName: "minimax" });
  const { prompt, tools, providerOptions } = options;
  const bearers = [{ providerOptions }, tools?.[0], prompt[0], prompt[2]?.content[0], prompt[3]?.content[0]];
  for (const bearer of bearers) {
    const { anthropic: usual, minimax: other } = (bearer as { providerOptions: Record<string, unknown> })
      .providerOptions;
    expect(usual).toBeDefined();
    expect(other).toEqual(usual);
  }
  expect(JSON.stringify(callOptions(marked, { to: anthropic, maxTokens: 1000 }))).not.toContain("minimax");
});
