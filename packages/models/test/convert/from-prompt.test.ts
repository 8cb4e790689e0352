/** Prompts, there and back again. */

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Message } from "@pith/context";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildPrompt, fromPrompt, webSearch } from "../../src/convert/index.ts";
import { all, anthropic, picture, requestOf, responses, result, says, user } from "../support/messages.ts";

const words = fc.string({ minLength: 1 });
const shown = fc.array(
  fc.oneof(
    words.map((text) => ({ type: "text" as const, text })),
    fc.constant(picture),
  ),
  { minLength: 1, maxLength: 3 },
);

describe.each(all)("$api of $provider", (to) => {
  const signature = {
    "anthropic-messages": "c2ln",
    "openai-responses":
      '{"type":"reasoning","id":"rs_1","encrypted_content":"gA","summary":[{"type":"summary_text","text":"Hm."}]}',
    "openai-completions": "reasoning_content",
    "google-generative-ai": "c2ln",
  }[to.api];
  const id = to.api === "openai-responses" ? "call_1|fc_1" : "call_1";
  const exchange = fc
    .tuple(words, words, shown, fc.boolean())
    .map(([thinking, text, content, isError]): readonly Message[] => [
      says(
        [
          ...(signature ? [{ type: "thinking" as const, thinking, thinkingSignature: signature }] : []),
          { type: "text", text },
          { type: "toolCall", id, name: "read", arguments: { path: text } },
        ],
        to,
      ),
      result(id, content, { isError }),
    ]);
  const conversation = fc.array(
    fc.oneof(
      shown.map((content) => [user(content)]),
      exchange,
    ),
    { maxLength: 6 },
  );

  test("CNV14 messages read from a prompt are converted back to the same prompt", () => {
    fc.assert(
      fc.property(conversation, fc.constantFrom("", "You help."), (parts, text) => {
        const system = text === "" ? [] : [{ name: "prompt", text }];
        const prompt = buildPrompt(requestOf([user("Go."), ...parts.flat()], { system }), to);
        const back = fromPrompt(prompt, to);
        expect(buildPrompt(requestOf(back.messages, { system: back.system }), to)).toEqual(prompt);
      }),
    );
  });
});

test("CNV14 restores the messages of Anthropic's prompts", () => {
  const messages = [
    user([{ type: "text", text: "Look." }, picture]),
    says(
      [
        { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
        { type: "thinking", thinking: "", thinkingSignature: "ZGF0YQ==", redacted: true },
        { type: "text", text: "Looking." },
        { type: "toolCall", id: "a", name: "read", arguments: { path: "x" } },
        { type: "toolCall", id: "b", name: "read", arguments: {} },
      ],
      anthropic,
    ),
    result("a", [{ type: "text", text: "it is" }, picture]),
    result("b", "no such file", { isError: true }),
  ];
  expect(fromPrompt(buildPrompt(requestOf(messages), anthropic), anthropic)).toEqual({ system: [], messages });
});

test("CNV14 keeps the phase of a text without its item id", () => {
  const text = { type: "text" as const, text: "So.", textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}' };
  const prompt = buildPrompt(requestOf([user("Go."), says([text], responses)]), responses);
  expect(prompt[1]?.content[0]).toMatchObject({ providerOptions: { openai: { phase: "commentary" } } });
  expect(buildPrompt(requestOf(fromPrompt(prompt, responses).messages), responses)).toEqual(prompt);
});

test("CNV14 reads parts that other programs wrote as far as they have a text form", () => {
  const prompt: Parameters<typeof fromPrompt>[0] = [
    { role: "system", content: "One." },
    { role: "system", content: "Two." },
    {
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
        {
          type: "file",
          mediaType: "application/pdf",
          data: { type: "url", url: new URL("https://example.com/a.pdf") },
        },
        { type: "file", mediaType: "text/plain", data: { type: "text", text: "a note" } },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "read", input: '{"path":"x"}' }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "a", toolName: "read", output: { type: "json", value: { ok: true } } },
        { type: "tool-approval-response", approvalId: "x", approved: true },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "b", toolName: "rm", output: { type: "execution-denied" } }],
    },
  ];
  const { system, messages } = fromPrompt(prompt, anthropic);
  expect(system.map(({ text }) => text)).toEqual(["One.", "Two."]);
  expect(messages).toMatchObject([
    {
      content: [
        { type: "image", data: "AQID", mimeType: "image/png" },
        { type: "text", text: "[file: application/pdf]" },
        { type: "text", text: "a note" },
      ],
    },
    { content: [{ type: "toolCall", id: "a", arguments: { path: "x" } }], stopReason: "toolUse" },
    { content: [{ type: "text", text: '{"ok":true}' }], isError: false },
    { content: [{ type: "text", text: "The call was not allowed." }], isError: true },
  ]);
});

test("NAT3 results of a provider tool are converted back to the same prompt", () => {
  const page = {
    title: "Pith",
    type: "web_search_result",
    url: "https://a.org",
    encryptedContent: "EqQB",
    pageAge: null,
  };
  const both = { toolCallId: "srvtoolu_1", toolName: "web_search" };
  const caller = { providerOptions: { anthropic: { caller: { type: "direct" } } } };
  const prompt: LanguageModelV4Prompt = [
    { role: "user", content: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      content: [
        { type: "tool-call", ...both, input: { query: "x" }, providerExecuted: true, ...caller },
        { type: "tool-result", ...both, output: { type: "json", value: [page] }, ...caller },
        { type: "text", text: "There." },
      ],
    },
  ];
  const { messages } = fromPrompt(prompt, anthropic);
  expect(buildPrompt(requestOf(messages, { tools: [webSearch] }), anthropic)).toEqual(prompt);
});
