/** Anthropic's own search sent back: as it was, changed, or one half without the other. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { type PostResult, postJson } from "../../server/post-json.ts";

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
  ({ content: blocks, usage } = JSON.parse((await asked([question])).text));
});
afterEach(() => server.close());

test("KIT1 a search is a call of the server's and its result, in its place, and has its own usage", async () => {
  expect(blocks.map(({ type }) => type)).toEqual(["text", "server_tool_use", "web_search_tool_result", "text"]);
  expect(usage.server_tool_use).toEqual({ web_search_requests: 1 });
  expect(blocks[1]).toMatchObject({ name: "web_search", input: { query: "pages" } });
  expect(blocks[2]).toMatchObject({
    tool_use_id: blocks[1]?.id,
    content: results.map((result) => ({ ...result, page_age: null, encrypted_content: expect.any(String) })),
  });
});

test("KIT3 as it was it is accepted", async () => {
  expect(await sentBack(blocks)).toBe("accepted");
});

test("KIT3 a result that has changed is refused", async () => {
  const [page, other] = (blocks[2]?.content ?? []) as readonly Block[];
  const sealed = String(page?.encrypted_content);
  for (const changed of [
    { ...page, encrypted_content: `A${sealed.slice(1)}` },
    { ...page, encrypted_content: "" },
    { ...page, encrypted_content: other?.encrypted_content },
    { ...page, url: "https://example.org/c" },
  ])
    expect(await sentBack(blocks.with(2, { ...blocks[2], content: [changed, other] }))).toBe(
      "messages.1.content.2.web_search_tool_result.content.0: Invalid `encrypted_content` in `search_result` block",
    );
});

test("KIT2 one half without the other is refused, and so are a strange id and a missing title", async () => {
  const [text = {}, search = {}, found = {}] = blocks;
  const untitled = (found.content as readonly Block[]).map(({ title: _, ...page }) => page);
  expect(await sentBack([text, found])).toMatch(/^messages\.1\.content: unexpected `tool_use_id` found in `web_search/);
  expect(await sentBack([text, found, search])).toMatch(/must have a corresponding `server_tool_use` block before it/);
  expect(await sentBack([text, search])).toMatch(/was found without a corresponding `web_search_tool_result` block/);
  expect(await sentBack([{ ...search, id: "toolu_1" }, found])).toMatch(/server_tool_use\.id: String should match/);
  expect(await sentBack([{ ...search, name: "read" }, found])).toMatch(/server_tool_use\.name: Input should be/);
  expect(await sentBack([search, { ...found, content: untitled }])).toMatch(/content\.0\.title: Field required/);
  expect(await sentBack([search, { ...found, is_error: true }])).toMatch(/is_error: Extra inputs are not permitted/);
});

test("KIT2 a search has one name", async () => {
  const { message } = await asked([question], [{ type: "web_search_20250305", name: "search" }]);
  expect(message).toBe("tools.0.web_search_20250305.name: Input should be 'web_search'");
});

test("KIT7 a script that searches where nobody declared a search says so", async () => {
  const alone = await startServer({ script: [{ parts: [{ type: "search", query: "pages", results }] }] });
  const { status } = await postJson(`${alone.url}/v1/messages`, bodyOf([question], []), headers);
  await alone.close();
  expect({ status, ...alone.requests[0] }).toMatchObject({
    status: 500,
    outcome: "failed",
    why: "the step for request 1 searches, and the request does not declare the provider's own search",
  });
});

const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };

function bodyOf(messages: readonly object[], declared: readonly object[]): object {
  return { model: "claude-sonnet-4-5", max_tokens: 1000, messages, tools: declared };
}

function asked(messages: readonly object[], declared: readonly object[] = tools): Promise<PostResult> {
  return postJson(`${server.url}/v1/messages`, bodyOf(messages, declared), headers);
}

async function sentBack(content: readonly Block[]): Promise<string> {
  const { status, message } = await asked([question, { role: "assistant", content }, question]);
  return status === 200 ? "accepted" : message;
}
