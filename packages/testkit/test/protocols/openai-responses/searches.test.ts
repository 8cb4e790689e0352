/** Tests requests that return OpenAI's search: unchanged, without its reasoning, or without its action. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

type Item = Readonly<Record<string, unknown>>;

const question = { role: "user", content: "look it up" };

let server: TestServer;
let items: readonly Item[];
beforeEach(async () => {
  const results = [{ title: "A page", url: "https://example.org/a" }];
  server = await startServer({
    script: [
      {
        parts: [
          { type: "thinking", text: "I look." },
          { type: "search", query: "pages", results },
          { type: "text", text: "There." },
        ],
      },
      "fine",
    ],
  });
  items = JSON.parse((await postInput([question])).text).output;
});
afterEach(() => server.close());

test("KIT1 a search is an item with its action, and with its sources if the request includes them", async () => {
  expect(items.map(({ type }) => type)).toEqual(["reasoning", "web_search_call", "message"]);
  expect(items[1]).toEqual({
    type: "web_search_call",
    id: expect.stringMatching(/^ws_r/),
    status: "completed",
    action: {
      ...{ type: "search", query: "pages", queries: ["pages"] },
      sources: [{ type: "url", url: "https://example.org/a" }],
    },
  });
});

test("KIT3 accepts an unchanged search and refuses one without its reasoning", async () => {
  expect(await sendBack(items)).toBe("accepted");
  expect(await sendBack(items.slice(1))).toMatch(
    /^Item 'ws_r\w+' of type 'web_search_call' was provided without its required 'reasoning' item/,
  );
});

test("KIT2 refuses a search without an id or action, or with an unknown action or field", async () => {
  const [thought = {}, { id, action, ...rest } = {}, text = {}] = items;
  expect(await sendBack([thought, { ...rest, action }, text])).toMatch(/input\[2\]\.id/);
  expect(await sendBack([thought, { ...rest, id }, text])).toMatch(/input\[2\]\.action/);
  expect(await sendBack([thought, { ...rest, id, action: { type: "openPage" } }, text])).toMatch(/action\.type/);
  expect(await sendBack([thought, { ...rest, id, action, output: [] }, text])).toMatch(/input\[2\]\.output/);
});

function postInput(input: readonly object[]): Promise<PostResult> {
  const include = ["reasoning.encrypted_content", "web_search_call.action.sources"];
  const body = { model: "gpt-5", store: false, input, include, tools: [{ type: "web_search" }] };
  return postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer k" });
}

async function sendBack(output: readonly Item[]): Promise<string> {
  const { status, message } = await postInput([question, ...output, question]);
  return status === 200 ? "accepted" : message;
}
