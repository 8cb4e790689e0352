/** Google's own search sent back: as it was, changed, or one half without the other; and beside functions. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { type PostResult, postJson } from "../../server/post-json.ts";

type Part = Readonly<Record<string, unknown>>;

const question = { role: "user", parts: [{ text: "look it up" }] };
const tools = [{ googleSearch: {} }, { functionDeclarations: [{ name: "read" }] }];
const told = { includeServerSideToolInvocations: true };

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

async function searched(body: object = { tools, toolConfig: told }): Promise<Part> {
  const { candidates } = JSON.parse((await asked([question], body)).text);
  parts = candidates[0].content.parts;
  return candidates[0].groundingMetadata;
}

test("KIT1 a search is two signed parts where they are asked for, and the end says what the reply rests on", async () => {
  expect(await searched()).toEqual({
    webSearchQueries: ["pages"],
    groundingChunks: [{ web: { uri: "https://example.org/a", title: "A page" } }],
  });
  expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "toolCall", "toolResponse", "text"]);
  expect(parts[1]).toMatchObject({ toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["pages"] } } });
});

test("KIT1 where they are not asked for, only the end tells of it", async () => {
  await searched({ tools: [{ googleSearch: {} }] });
  expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "text"]);
  expect(await sentBack([{ text: "I look.There.", thoughtSignature: parts[1]?.thoughtSignature }])).toBe("accepted");
});

test("KIT3 as it was it is accepted, and changed it is refused", async () => {
  await searched();
  const [text = {}, call = {}, response = {}] = parts;
  expect(await sentBack(parts)).toBe("accepted");
  const other = { ...(call.toolCall as Part), args: { queries: ["other pages"] } };
  expect(await sentBack([text, { ...call, toolCall: other }, response])).toBe("Corrupted thought signature.");
  const empty = { ...(response.toolResponse as Part), response: {} };
  expect(await sentBack([text, call, { ...response, toolResponse: empty }])).toBe("Corrupted thought signature.");
});

test("KIT2 one half without the other is refused", async () => {
  await searched();
  const [text = {}, call = {}, response = {}] = parts;
  expect(await sentBack([text, response])).toMatch(/tool response parts match the tool call parts/);
  expect(await sentBack([text, call])).toMatch(/every tool call part has its tool response part/);
});

test("KIT2 beside functions a search must be told of, and models before 3 have none", async () => {
  expect((await asked([question], { tools })).message).toMatch(/include_server_side_tool_invocations/);
  const { message } = await asked([question], { tools, toolConfig: told }, "gemini-2.5-pro");
  expect(message).toBe("Tool use with function calling is unsupported");
});

function asked(contents: readonly object[], body: object, model = "gemini-3-pro-preview"): Promise<PostResult> {
  const url = `${server.url}/v1beta/models/${model}:generateContent`;
  return postJson(url, { contents, ...body }, { "x-goog-api-key": "k" });
}

async function sentBack(said: readonly Part[]): Promise<string> {
  const contents = [question, { role: "model", parts: said }, question];
  const { status, message } = await asked(contents, { tools, toolConfig: told });
  return status === 200 ? "accepted" : message;
}
