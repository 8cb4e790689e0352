/** Tests the thinking, provider options and reasoning level of call options. */

import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { AssistantMessage, Message, ModelName, ThinkingLevel, ToolCallBlock } from "@pith/context";
import { type Script, startServer } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import { applyStreamPart, buildAssistantMessage, buildCallOptions, emptyDraft } from "../../src/convert/index.ts";
import {
  anthropic,
  calls,
  completions,
  gemini,
  openaiChat,
  requestOf,
  responses,
  result,
  says,
  tool,
  user,
} from "../support/messages.ts";

describe("thinking", () => {
  const newest = { ...anthropic, model: "claude-opus-4-8" };
  const sendsThinking = (messages: readonly Message[], to = anthropic): boolean => {
    const options = buildCallOptions(requestOf(messages, { thinking: "high" }), { target: to, maxTokens: 10_000 });
    return options.reasoning === "high" || JSON.stringify(options.providerOptions).includes("enabled");
  };

  const thought: AssistantMessage = says(
    [
      { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
      { type: "toolCall", id: "a", name: "read", arguments: {} },
    ],
    anthropic,
  );
  const thoughtless = calls(anthropic, "b");

  const newer = [
    "claude-opus-4-6",
    "claude-sonnet-5",
    "claude-opus-4-8-20260601",
    "claude-opus-4.7",
    "anthropic/claude-sonnet-4.6",
    "claude-4.6-sonnet",
  ];
  const older = [
    "claude-sonnet-4-20250514",
    "claude-opus-4-1-20250805",
    "anthropic/claude-opus-4.1",
    "claude-3-7-sonnet-latest",
    "claude-3.7-sonnet",
    "kimi-k2",
  ];

  describe("a turn that continues after tool results", () => {
    test("CNV15 keeps thinking on if it began with thinking, even if later replies did not think", () => {
      expect(sendsThinking([user("go"), thought, result("a", "x")])).toBe(true);
      expect(sendsThinking([user("go"), thought, result("a", "x"), thoughtless, result("b", "y")])).toBe(true);
    });

    test("CNV15 keeps thinking off if it began without, until the next turn", () => {
      const begun = [user("go"), thoughtless, result("b", "y")];
      expect(sendsThinking(begun)).toBe(false);
      expect(sendsThinking([...begun, user("also this")])).toBe(false);
      expect(sendsThinking([...begun, says([{ type: "text", text: "Done." }], anthropic), user("next")])).toBe(true);
    });

    test("CNV15 turns thinking off if another model replied in it", () => {
      const begun = [user("go"), thought, result("a", "x"), calls(responses, "b"), result("b", "y")];
      expect(sendsThinking(begun)).toBe(false);
    });

    test("CNV15 keeps thinking on for models with adaptive thinking and for other protocols", () => {
      const begun = [user("go"), thoughtless, result("b", "y")];
      for (const model of newer) expect(sendsThinking(begun, { ...newest, model })).toBe(true);
      for (const model of older) expect(sendsThinking(begun, { ...newest, model })).toBe(false);
      expect(sendsThinking(begun, responses)).toBe(true);
    });
  });
});

describe("provider names", () => {
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

  test("CNV19 Azure's package gets reasoning and options under its own key", async () => {
    const server = await startServer({ script });
    try {
      const language = createOpenAI({ name: "azure", baseURL: `${server.url}/v1`, apiKey: "test" }).responses("gpt-5");
      expect(language.provider).toBe("azure.responses");
      const first = await reply(language, [user("go")]);
      const [, call] = first.content;
      await reply(language, [user("go"), first, result((call as ToolCallBlock).id, "x")]);
      expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said"]);
      expect(server.requests[1]?.body).toMatchObject({
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
    const options = buildCallOptions(request, { target: azure, maxTokens: 1000, optionsKey: "azure" });
    let draft = emptyDraft();
    for await (const part of (await language.doStream(options)).stream) draft = applyStreamPart(draft, part);
    return buildAssistantMessage(draft, { modelName: azure, stopReason: "toolUse", timestamp: 0 });
  }

  test("CNV19 requests have both keys, and only the bundled key if the provider has no other", () => {
    const marked = requestOf(
      [user("hi"), says([{ type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" }], anthropic), user("on")],
      {
        tools: [tool("read")],
        thinking: "high",
        system: [{ name: "prompt", text: "You help." }],
        cacheMarks: [{ after: "tools" }, { after: "system" }, { after: "message", index: 2 }],
      },
    );
    const options = buildCallOptions(marked, { target: anthropic, maxTokens: 1000, optionsKey: "minimax" });
    const { prompt, tools, providerOptions } = options;
    const bearers = [{ providerOptions }, tools?.[0], prompt[0], prompt[2]?.content[0], prompt[3]?.content[0]];
    for (const bearer of bearers) {
      const { anthropic: usual, minimax: other } = (bearer as { providerOptions: Record<string, unknown> })
        .providerOptions;
      expect(usual).toBeDefined();
      expect(other).toEqual(usual);
    }
    expect(JSON.stringify(buildCallOptions(marked, { target: anthropic, maxTokens: 1000 }))).not.toContain("minimax");
  });
});

describe("reasoning level", () => {
  const reasoningLevel = (to: ModelName, thinking: ThinkingLevel) =>
    buildCallOptions(requestOf([user("hi")], { thinking }), { target: to, maxTokens: 1000 }).reasoning;

  const levels = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

  test("CNV17 turns thinking off where the package supports it, and sends no level for chat and unknown protocols", () => {
    for (const to of [anthropic, responses, gemini]) expect(reasoningLevel(to, "off")).toBe("none");
    for (const to of [
      completions,
      openaiChat,
      { ...completions, api: "some-other-api" },
      { ...responses, model: "o3" },
    ])
      expect(reasoningLevel(to, "off")).toBeUndefined();
  });

  test("CNV17 sends three levels to chat servers and OpenAI's first reasoning models", () => {
    const three = ["low", "low", "medium", "high", "high", "high"];
    for (const to of [completions, { ...responses, model: "o4-mini" }, { ...openaiChat, model: "o3" }])
      expect(levels.map((level) => reasoningLevel(to, level))).toEqual(three);
  });

  test("CNV17 sends the level unchanged to packages that know their models", () => {
    for (const to of [responses, openaiChat, gemini, { ...anthropic, model: "claude-opus-4-8" }])
      expect(levels.map((level) => reasoningLevel(to, level))).toEqual(levels);
  });
});
