/** Signatures, there and back again, protocol by protocol. */

import type { LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { AssistantMessage, ModelName, Request } from "@pith/context";
import { describe, expect, test } from "vitest";
import { applyStreamPart, buildAssistantMessage, buildPrompt, emptyDraft } from "../../src/convert/index.ts";

const named = (api: string): ModelName => ({ api, provider: "somebody", model: "m" });

function kept(api: string, ...parts: readonly LanguageModelV4StreamPart[]): AssistantMessage {
  return buildAssistantMessage(parts.reduce(applyStreamPart, emptyDraft()), {
    modelName: named(api),
    stopReason: "stop",
    timestamp: 0,
  });
}

function sent(api: string, content: AssistantMessage["content"]): LanguageModelV4Message {
  const message = { ...kept(api), content };
  const request: Request = {
    system: [],
    tools: [],
    messages: [message],
    thinking: "high",
    toolChoice: "auto",
    cacheMarks: [],
  };
  const [only] = buildPrompt(request, named(api));
  return only ?? { role: "system", content: "nothing" };
}

const thought = (id: string, delta: string, metadata?: Record<string, Record<string, string | null>>) =>
  [
    { type: "reasoning-start", id, ...(metadata && { providerMetadata: metadata }) },
    { type: "reasoning-delta", id, delta },
  ] as readonly LanguageModelV4StreamPart[];

const done = (text: string): readonly LanguageModelV4StreamPart[] => [{ type: "text-delta", id: "t", delta: text }];

describe("Anthropic", () => {
  const api = "anthropic-messages";

  test("CNV4 keeps the signature of thinking, and the data of redacted thinking", () => {
    const { content } = kept(
      api,
      ...thought("0", "Hm."),
      { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "c2ln" } } },
      { type: "reasoning-start", id: "1", providerMetadata: { anthropic: { redactedData: "ZGF0YQ==" } } },
      ...done("So."),
    );
    expect(content).toEqual([
      { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "", thinkingSignature: "ZGF0YQ==", redacted: true },
      { type: "text", text: "So." },
    ]);
    expect(sent(api, content)).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
        { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "ZGF0YQ==" } } },
        { type: "text", text: "So." },
      ],
    });
  });
});

describe("OpenAI Responses", () => {
  const api = "openai-responses";
  const item = (encrypted: string | null) => ({ openai: { itemId: "rs_1", reasoningEncryptedContent: encrypted } });

  test("CNV4 joins the summaries of one item, signed with the whole item", () => {
    const { content } = kept(
      api,
      ...thought("rs_1:0", "First.", item(null)),
      ...thought("rs_1:1", "Second.", item(null)),
      { type: "reasoning-end", id: "rs_1:1", providerMetadata: item("gAAA") },
      { type: "text-start", id: "msg_1", providerMetadata: { openai: { itemId: "msg_1", phase: "final_answer" } } },
      { type: "text-delta", id: "msg_1", delta: "So." },
      {
        type: "tool-call",
        toolCallId: "call_1",
        toolName: "read",
        input: "{}",
        providerMetadata: { openai: { itemId: "fc_1" } },
      },
    );
    const signature =
      '{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Second."}]}';
    expect(content).toEqual([
      { type: "thinking", thinking: "First.\n\nSecond.", thinkingSignature: signature },
      { type: "text", text: "So.", textSignature: '{"v":1,"id":"msg_1","phase":"final_answer"}' },
      { type: "toolCall", id: "call_1|fc_1", name: "read", arguments: {} },
    ]);
    const options = { openai: { itemId: "rs_1", reasoningEncryptedContent: "gAAA" } };
    expect(sent(api, content)).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "First.", providerOptions: options },
        { type: "reasoning", text: "Second.", providerOptions: options },
        { type: "text", text: "So.", providerOptions: { openai: { itemId: "msg_1", phase: "final_answer" } } },
        {
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "read",
          input: {},
          providerOptions: { openai: { itemId: "fc_1" } },
        },
      ],
    });
  });

  test("CNV4 sends reasoning back without a summary, but not without its encrypted content", () => {
    const { content } = kept(api, { type: "reasoning-start", id: "rs_1:0", providerMetadata: item("gAAA") });
    expect(content).toMatchObject([{ type: "thinking", thinking: "" }]);
    expect(sent(api, content)).toMatchObject({ content: [{ type: "reasoning", text: "" }] });
    expect(kept(api, ...thought("rs_1:0", "Hm.", item(null))).content).toEqual([{ type: "thinking", thinking: "Hm." }]);
  });

  test("CNV6 omits item ids without their reasoning, and reads plain ids", () => {
    const call = { type: "toolCall" as const, id: "call_1|fc_1", name: "read", arguments: {} };
    const text = { type: "text" as const, text: "So.", textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}' };
    expect(sent(api, [text, call])).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "So.", providerOptions: { openai: { phase: "commentary" } } },
        { type: "tool-call", toolCallId: "call_1", toolName: "read", input: {} },
      ],
    });
    const signature = '{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA","summary":[]}';
    const thinking = { type: "thinking" as const, thinking: "", thinkingSignature: signature };
    expect(sent(api, [thinking, { ...text, textSignature: "msg_2" }])).toMatchObject({
      content: [{}, { providerOptions: { openai: { itemId: "msg_2" } } }],
    });
  });
});

describe("Gemini", () => {
  const api = "google-generative-ai";
  const signed = (letters: string) => ({ google: { thoughtSignature: letters } });

  test("CNV4 keeps a signature on its part", () => {
    const { content } = kept(
      api,
      ...thought("0", "Hm.", signed("QUE=") as Record<string, Record<string, string>>),
      { type: "text-delta", id: "1", delta: "So.", providerMetadata: signed("QkI=") },
      { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}", providerMetadata: signed("Q0M=") },
      { type: "tool-call", toolCallId: "d", toolName: "read", input: "{}" },
    );
    expect(content).toEqual([
      { type: "thinking", thinking: "Hm.", thinkingSignature: "QUE=" },
      { type: "text", text: "So.", textSignature: "QkI=" },
      { type: "toolCall", id: "c", name: "read", arguments: {}, thoughtSignature: "Q0M=" },
      { type: "toolCall", id: "d", name: "read", arguments: {} },
    ]);
    expect(sent(api, content)).toMatchObject({
      content: [
        { type: "reasoning", providerOptions: signed("QUE=") },
        { type: "text", providerOptions: signed("QkI=") },
        { type: "tool-call", providerOptions: signed("Q0M=") },
        { type: "tool-call", toolCallId: "d" },
      ],
    });
  });
});

describe("Gemini's signature on an empty text", () => {
  const api = "google-generative-ai";
  const signed = (letters: string) => ({ google: { thoughtSignature: letters } });
  const bare = (id: string, letters: string): readonly LanguageModelV4StreamPart[] => [
    { type: "text-start", id, providerMetadata: signed(letters) },
    { type: "text-delta", id, delta: "", providerMetadata: signed(letters) },
    { type: "text-end", id },
  ];
  const call: LanguageModelV4StreamPart = { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}" };

  test("CNV4 is attached to the block before it", () => {
    const { content } = kept(api, ...thought("0", "Hm."), ...bare("1", "QUE="), call, ...bare("2", "QkI="));
    expect(content).toEqual([
      { type: "thinking", thinking: "Hm.", thinkingSignature: "QUE=" },
      { type: "toolCall", id: "c", name: "read", arguments: {}, thoughtSignature: "QkI=" },
    ]);
    expect(sent(api, content)).toMatchObject({
      content: [{ providerOptions: signed("QUE=") }, { providerOptions: signed("QkI=") }],
    });
  });

  test("CNV4 never replaces another signature", () => {
    const { content } = kept(api, { ...call, providerMetadata: signed("Q0M=") }, ...bare("1", "QUE="));
    expect(content).toEqual([{ type: "toolCall", id: "c", name: "read", arguments: {}, thoughtSignature: "Q0M=" }]);
  });
});

describe("Chat Completions", () => {
  const api = "openai-completions";

  test("CNV4 sends reasoning back in the field that pi stored, or in the default field", () => {
    const { content } = kept(api, ...thought("reasoning-0", "Hm."), ...done("So."));
    expect(content[0]).toEqual({ type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" });
    expect(sent(api, content)).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "So." },
      ],
    });
    const other = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: "reasoning" };
    expect(sent(api, [other, { type: "text", text: "So." }])).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "So." }],
      providerOptions: { openaiCompatible: { reasoning: "Hm." } },
    });
  });
});

describe("any other protocol", () => {
  const api = "bedrock-converse-stream";

  test("CNV4 stores the provider's metadata and sends it back unchanged", () => {
    const metadata = { bedrock: { signature: "abc" } };
    const { content } = kept(api, ...thought("0", "Hm.", metadata), ...done("So."));
    expect(content[0]).toEqual({
      type: "thinking",
      thinking: "Hm.",
      thinkingSignature: '{"v":1,"metadata":{"bedrock":{"signature":"abc"}}}',
    });
    expect(sent(api, content)).toMatchObject({
      content: [{ type: "reasoning", text: "Hm.", providerOptions: metadata }, { type: "text" }],
    });
  });
});

describe("foreign signatures", () => {
  const letters: Readonly<Record<string, string>> = {
    "anthropic-messages": "not opaque, has spaces",
    "openai-responses": "EqQBCkYIARgCKkBx",
    "openai-completions": "EqQBCkYIARgCKkBx",
    "google-generative-ai": "reasoning_content",
    "bedrock-converse-stream": "EqQBCkYIARgCKkBx",
  };

  test.each(Object.entries(letters))(
    "CNV5 %s omits thinking with the signature %s of another protocol",
    (api, thinkingSignature) => {
      const thinking = { type: "thinking" as const, thinking: "Hm.", thinkingSignature };
      expect(sent(api, [thinking, { type: "text", text: "So." }])).toEqual({
        role: "assistant",
        content: [{ type: "text", text: "So." }],
      });
    },
  );

  test.each(Object.keys(letters))("CNV5 %s omits signatures of other protocols", (api) => {
    const item = '{"type":"reasoning","id":"rs_1","summary":[]}';
    const thinking = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: item };
    const text = { type: "text" as const, text: "So.", textSignature: "{broken" };
    const call = { type: "toolCall" as const, id: "c", name: "read", arguments: {}, thoughtSignature: "{}" };
    expect(sent(api, [thinking, text, call])).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "So." },
        { type: "tool-call", toolCallId: "c", toolName: "read", input: {} },
      ],
    });
  });
});
