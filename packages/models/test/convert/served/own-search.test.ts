/** Who has a web search of its own, and when a request declares it. */

import type { Message, Request, ThinkingLevel, Tool } from "@pith/context";
import { expect, test } from "vitest";
import { callOptions, searches, webSearch } from "../../../src/convert/index.ts";
import { anthropic, requestOf, responses, tool, user } from "../asking/requests.ts";

test.each([
  ["anthropic-messages", "anthropic", "claude-sonnet-4-5", true],
  ["anthropic-messages", "anthropic", "claude-3-haiku-20240307", false],
  ["anthropic-messages", "amazon-bedrock", "anthropic.claude-sonnet-4-5", false],
  ["openai-responses", "openai", "gpt-5", true],
  ["openai-responses", "openai", "gpt-4.1-nano", false],
  ["openai-responses", "openai", "o3-mini", false],
  ["openai-completions", "openai", "gpt-5", false],
  ["openai-completions", "openrouter", "anthropic/claude-sonnet-4-5", false],
  ["google-generative-ai", "google", "gemini-3-pro-preview", true],
  ["google-generative-ai", "google", "gemini-2.5-pro", false],
])("NAT4 %s of %s with %s: %s", (api, provider, model, can) => {
  expect(searches({ api, provider, model })).toBe(can);
});

test("NAT6 it is declared from the message that adds it to the one that removes it", () => {
  const added = change({ toolsAdded: [webSearch] });
  const removed = change({ toolsRemoved: [webSearch] });
  expect(declared(requestOf([user("a")], { tools: [webSearch, tool("read")] }))).toEqual(["web_search", "read"]);
  expect(declared(requestOf([user("a"), added], { tools: [tool("read")] }))).toEqual(["web_search", "read"]);
  expect(declared(requestOf([user("a"), removed], { tools: [webSearch, tool("read")] }))).toEqual(["read"]);
  expect(declared(requestOf([user("a"), removed, added], { tools: [webSearch] }))).toEqual(["web_search"]);
});

test("NAT4 a tool of the host's own that has its name stands in its place, at every time", () => {
  const own = tool("web_search");
  expect(kinds(requestOf([user("a")], { tools: [own, webSearch] }))).toEqual(["function"]);
  expect(kinds(requestOf([user("a"), change({ toolsAdded: [own] })], { tools: [webSearch] }))).toEqual(["function"]);
});

test("NAT4 OpenAI refuses to search with the least effort, and is not asked to", () => {
  const asked = (thinking: ThinkingLevel) =>
    callOptions(requestOf([user("a")], { tools: [webSearch], thinking }), { to: responses, maxTokens: 1000 }).tools;
  expect(asked("minimal")).toBeUndefined();
  expect(asked("low")).toHaveLength(1);
});

test("NAT2 the mark behind the tools stays where it was", () => {
  const request = requestOf([user("a")], { tools: [tool("read"), webSearch], cacheMarks: [{ after: "tools" }] });
  const tools = callOptions(request, { to: anthropic, maxTokens: 1000 }).tools ?? [];
  expect(tools.map((each) => "providerOptions" in each)).toEqual([false, true]);
});

function declared(request: Request): readonly string[] {
  return (callOptions(request, { to: anthropic, maxTokens: 1000 }).tools ?? []).map(({ name }) => name);
}

function kinds(request: Request): readonly string[] {
  return (callOptions(request, { to: anthropic, maxTokens: 1000 }).tools ?? []).map(({ type }) => type);
}

function change(tools: {
  readonly toolsAdded?: readonly Tool[];
  readonly toolsRemoved?: readonly Tool[];
}): Extract<Message, { role: "system" }> {
  return { role: "system", content: "", ...tools, timestamp: 0 };
}
