/** What is kept of a search, and what is made of it when it comes back from a file. */

import type { AssistantMessage } from "@pith/context";
import { expect, test } from "vitest";
import { promptOf, servedIn, webSearch } from "../../../src/convert/index.ts";
import { type Served, servedBlock } from "../../../src/convert/served/served-block.ts";
import { anthropic, gemini as older, requestOf, responses, says, user } from "../asking/requests.ts";

const gemini = { ...older, model: "gemini-3-pro-preview" };
const page = { type: "web_search_result", url: "https://a.org", encryptedContent: "EqQB", pageAge: null };
const served: Served = { id: "srvtoolu_1", name: "web_search", input: { query: "x" }, output: [page] };
const block = servedBlock("[searched]", served);

test("NAT3 a page without a title goes back with the title null, as it came", () => {
  expect(partsSent(block, anthropic)).toEqual([
    {
      type: "tool-call",
      toolCallId: "srvtoolu_1",
      toolName: "web_search",
      input: { query: "x" },
      providerExecuted: true,
    },
    {
      type: "tool-result",
      toolCallId: "srvtoolu_1",
      toolName: "web_search",
      output: { type: "json", value: [{ title: null, ...page }] },
    },
  ]);
});

test("NAT3 OpenAI takes a search back without a thought where none came before it, and else in words", () => {
  const output = { action: { type: "search", query: "x" } };
  expect(partsSent(servedBlock("[searched]", { ...served, output }), responses)).toHaveLength(2);
  const after = servedBlock("[searched]", { ...served, output, thought: true });
  expect(partsSent(after, responses)).toEqual([{ type: "text", text: "[searched]" }]);
  expect(partsSent(servedBlock("[searched]", { ...served, output, failed: true }), responses)).toEqual([
    { type: "text", text: "[searched]" },
  ]);
});

test.each([
  ["nothing", undefined],
  ["a text", "searched"],
  ["no id", { ...served, id: 3 }],
  ["no output", { id: "a", name: "web_search", input: {} }],
  ["options that are none", { ...served, beside: { call: { anthropic: "x" } } }],
])("NAT9 a block that keeps %s is the text it holds", (_, kept) => {
  const odd = { type: "text", text: "[searched]", pith: { served: kept } } as const;
  expect(servedIn(odd)).toBeNull();
  expect(partsSent(odd, anthropic)).toEqual([{ type: "text", text: "[searched]" }]);
});

test.each([
  ["a page without an address", anthropic, { output: [page, { url: 3 }] }],
  ["a title that is a number", anthropic, { output: [{ ...page, title: 3 }] }],
  ["no list of pages", anthropic, { output: {} }],
  ["a failure without a name", anthropic, { output: null, failed: true }],
  ["another tool", anthropic, { name: "code_execution" }],
  ["nothing done", responses, { output: {} }],
  ["no numbers of calls", gemini, { output: { search_suggestions: "" } }],
] as const)("NAT9 what its package or its provider would stumble over is left to the text: %s", (_, to, odd) => {
  const kept = servedBlock("[searched]", { ...served, ...(odd as Partial<Served>) });
  expect(partsSent(kept, to)).toEqual([{ type: "text", text: "[searched]" }]);
});

test("NAT9 other blocks keep nothing", () => {
  expect(servedIn({ type: "text", text: "a" })).toBeNull();
  expect(servedIn({ type: "toolCall", id: "a", name: "b", arguments: {}, pith: { unread: "" } })).toBeNull();
  expect(servedIn(null)).toBeNull();
});

function partsSent(kept: AssistantMessage["content"][number], to: typeof anthropic): unknown {
  const request = requestOf([user("go"), says([kept], to)], { tools: [webSearch] });
  return promptOf(request, to).at(-1)?.content;
}
