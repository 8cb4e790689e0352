/** Thoughts over the chat protocol: who gets them back, and who would refuse them. */

import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { buildPrompt } from "../../src/convert/index.ts";
import { openModel } from "../../src/open-model.ts";
import { lastOf } from "../served.ts";
import { requestOf, says, user } from "../support/messages.ts";

const backFrom = (provider: string, thinkingSignature: string): string => {
  const by = { api: "openai-completions", provider, model: "m" };
  const reply = says(
    [
      { type: "thinking", thinking: "a deep thought", thinkingSignature },
      { type: "text", text: "So." },
    ],
    by,
  );
  return JSON.stringify(buildPrompt(requestOf([user("go"), reply, user("on")]), by));
};

const silent = ["groq", "cerebras", "mistral", "xai", "together", "fireworks", "openai"];
const lines = [
  ...["deepseek", "moonshotai", "zai", "openrouter", "ollama", "llama.cpp", "lm-studio", "vllm"],
  ...["openai-compatible", "somebody"],
];

test.each(silent)("CNV18 thinking is not sent back to %s", (provider) => {
  for (const field of ["reasoning_content", "reasoning"]) expect(backFrom(provider, field)).not.toContain("thought");
});

test.each(lines)("CNV18 thinking is sent back to %s", (provider) => {
  for (const field of ["reasoning_content", "reasoning"]) expect(backFrom(provider, field)).toContain("a deep thought");
});

test("CNV18 Groq accepts the second request after a reply with reasoning", async () => {
  const thinking = { type: "thinking", text: "a deep thought" } as const;
  const server = await startServer({ script: () => ({ parts: [thinking, { type: "text", text: "So." }] }) });
  try {
    const modelOptions = {
      provider: "groq",
      model: "openai/gpt-oss-120b",
      baseUrl: `${server.url}/openai/v1`,
      apiKey: "test",
    };
    const opened = await openModel(modelOptions, { environment: {} });
    if (opened.type !== "opened") throw new Error(opened.message);
    const first = await lastOf(opened.model, requestOf([user("go")]));
    if (first?.type !== "reply-ended") throw new Error(JSON.stringify(first));
    expect(first.message.content).toMatchObject([{ thinking: "a deep thought" }, { text: "So." }]);
    const second = await lastOf(opened.model, requestOf([user("go"), first.message, user("on")]));
    expect(second).toMatchObject({ type: "reply-ended" });
  } finally {
    await server.close();
  }
});
