/** Tests requests that return Anthropic's search: unchanged, changed, or with only one of its two blocks. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

type Block = Readonly<Record<string, unknown>>;

const question = { role: "user", content: "look it up" };
const tools = [{ type: "web_search_20250305", name: "web_search" }];
const results = [
  { title: "A page", url: "https://example.org/a" },
  { title: null, url: "https://example.org/b" },
];

let server: TestServer;
let blocks: readonly Block[];
let usage: Block;
beforeEach(async () => {
  server = await startServer({
    script: [
      {
        parts: [
          { type: "text", text: "I look." },
          { type: "search", query: "pages", results },
          { type: "text", text: "There." },
        ],
      },
      "fine",
    ],
  });
  ({ content: blocks, usage } = JSON.parse((await postMessages([question])).text));
});
afterEach(() => server.close());

test("KIT1 a search is a server tool call and its result, in order, and has its own usage", async () => {
  expect(blocks.map(({ type }) => type)).toEqual(["text", "server_tool_use", "web_search_tool_result", "text"]);
  expect(usage.server_tool_use).toEqual({ web_search_requests: 1 });
  expect(blocks[1]).toMatchObject({ name: "web_search", input: { query: "pages" } });
  expect(blocks[2]).toMatchObject({
    tool_use_id: blocks[1]?.id,
    content: results.map((result) => ({ ...result, page_age: null, encrypted_content: expect.any(String) })),
  });
});

test("KIT3 accepts an unchanged search", async () => {
  expect(await sendBack(blocks)).toBe("accepted");
});

test("KIT3 refuses a changed result", async () => {
  const [page, other] = (blocks[2]?.content ?? []) as readonly Block[];
  const sealed = String(page?.encrypted_content);
  for (const changedPage of [
    { ...page, encrypted_content: `A${sealed.slice(1)}` },
    { ...page, encrypted_content: "" },
    { ...page, encrypted_content: other?.encrypted_content },
    { ...page, url: "https://example.org/c" },
  ])
    expect(await sendBack(blocks.with(2, { ...blocks[2], content: [changedPage, other] }))).toBe(
      "messages.1.content.2.web_search_tool_result.content.0: Invalid `encrypted_content` in `search_result` block",
    );
});

test("KIT2 refuses a search without its result, a result without its search, an invalid id and a missing title", async () => {
  const [text = {}, search = {}, found = {}] = blocks;
  const untitled = (found.content as readonly Block[]).map(({ title: _, ...page }) => page);
  expect(await sendBack([text, found])).toMatch(/^messages\.1\.content: unexpected `tool_use_id` found in `web_search/);
  expect(await sendBack([text, found, search])).toMatch(/must have a corresponding `server_tool_use` block before it/);
  expect(await sendBack([text, search])).toMatch(/was found without a corresponding `web_search_tool_result` block/);
  expect(await sendBack([{ ...search, id: "toolu_1" }, found])).toMatch(/server_tool_use\.id: String should match/);
  expect(await sendBack([{ ...search, name: "read" }, found])).toMatch(/server_tool_use\.name: Input should be/);
  expect(await sendBack([search, { ...found, content: untitled }])).toMatch(/content\.0\.title: Field required/);
  expect(await sendBack([search, { ...found, is_error: true }])).toMatch(/is_error: Extra inputs are not permitted/);
});

test("KIT2 refuses another name for the search tool", async () => {
  const { message } = await postMessages([question], [{ type: "web_search_20250305", name: "search" }]);
  expect(message).toBe("tools.0.web_search_20250305.name: Input should be 'web_search'");
});

test("KIT7 a script with a search fails if the request declares no search tool", async () => {
  const alone = await startServer({ script: [{ parts: [{ type: "search", query: "pages", results }] }] });
  const { status } = await postJson(`${alone.url}/v1/messages`, bodyOf([question], []), headers);
  await alone.close();
  expect({ status, ...alone.requests[0] }).toMatchObject({
    status: 500,
    outcome: "failed",
    why: "the step for request 1 has a search, but the request does not declare the provider's search tool",
  });
});

const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };

function bodyOf(messages: readonly object[], declaredTools: readonly object[]): object {
  return { model: "claude-sonnet-4-5", max_tokens: 1000, messages, tools: declaredTools };
}

function postMessages(messages: readonly object[], declaredTools: readonly object[] = tools): Promise<PostResult> {
  return postJson(`${server.url}/v1/messages`, bodyOf(messages, declaredTools), headers);
}

async function sendBack(content: readonly Block[]): Promise<string> {
  const { status, message } = await postMessages([question, { role: "assistant", content }, question]);
  return status === 200 ? "accepted" : message;
}
