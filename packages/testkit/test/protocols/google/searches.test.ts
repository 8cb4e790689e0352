/** Tests requests that return Google's search: unchanged, changed, with only one of its two parts, and with functions. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

type Part = Readonly<Record<string, unknown>>;

const question = { role: "user", parts: [{ text: "look it up" }] };
const tools = [{ googleSearch: {} }, { functionDeclarations: [{ name: "read" }] }];
const includeSearchParts = { includeServerSideToolInvocations: true };

let server: TestServer;
let parts: readonly Part[];
beforeEach(async () => {
  const results = [{ title: "A page", url: "https://example.org/a" }];
  server = await startServer({
    script: ({ number }) =>
      number > 1
        ? "fine"
        : {
            parts: [
              { type: "text", text: "I look." },
              { type: "search", query: "pages", results },
              { type: "text", text: "There." },
            ],
          },
  });
});
afterEach(() => server.close());

async function runSearch(body: object = { tools, toolConfig: includeSearchParts }): Promise<Part> {
  const { candidates } = JSON.parse((await postContents([question], body)).text);
  parts = candidates[0].content.parts;
  return candidates[0].groundingMetadata;
}

test("KIT1 a search is two signed parts if the request includes them, and the last chunk has its grounding", async () => {
  expect(await runSearch()).toEqual({
    webSearchQueries: ["pages"],
    groundingChunks: [{ web: { uri: "https://example.org/a", title: "A page" } }],
  });
  expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "toolCall", "toolResponse", "text"]);
  expect(parts[1]).toMatchObject({ toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["pages"] } } });
});

test("KIT1 a search is only in the last chunk if the request does not include its parts", async () => {
  await runSearch({ tools: [{ googleSearch: {} }] });
  expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "text"]);
  expect(await sendBack([{ text: "I look.There.", thoughtSignature: parts[1]?.thoughtSignature }])).toBe("accepted");
});

test("KIT3 accepts an unchanged search and refuses a changed one", async () => {
  await runSearch();
  const [text = {}, call = {}, response = {}] = parts;
  expect(await sendBack(parts)).toBe("accepted");
  const other = { ...(call.toolCall as Part), args: { queries: ["other pages"] } };
  expect(await sendBack([text, { ...call, toolCall: other }, response])).toBe("Corrupted thought signature.");
  const empty = { ...(response.toolResponse as Part), response: {} };
  expect(await sendBack([text, call, { ...response, toolResponse: empty }])).toBe("Corrupted thought signature.");
});

test("KIT2 refuses a search call without its response and a response without its call", async () => {
  await runSearch();
  const [text = {}, call = {}, response = {}] = parts;
  expect(await sendBack([text, response])).toMatch(/tool response parts match the tool call parts/);
  expect(await sendBack([text, call])).toMatch(/every tool call part has its tool response part/);
});

test("KIT2 a request with functions has to include search parts, and models before 3 refuse both", async () => {
  expect((await postContents([question], { tools })).message).toMatch(/include_server_side_tool_invocations/);
  const { message } = await postContents([question], { tools, toolConfig: includeSearchParts }, "gemini-2.5-pro");
  expect(message).toBe("Tool use with function calling is unsupported");
});

function postContents(contents: readonly object[], body: object, model = "gemini-3-pro-preview"): Promise<PostResult> {
  const url = `${server.url}/v1beta/models/${model}:generateContent`;
  return postJson(url, { contents, ...body }, { "x-goog-api-key": "k" });
}

async function sendBack(replyParts: readonly Part[]): Promise<string> {
  const contents = [question, { role: "model", parts: replyParts }, question];
  const { status, message } = await postContents(contents, { tools, toolConfig: includeSearchParts });
  return status === 200 ? "accepted" : message;
}
