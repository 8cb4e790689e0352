/** Tests unusual requests that OpenAI or a compatible server accepts. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

const user = { role: "user", content: "compare a and b" };
const reply = { role: "assistant", content: "well" };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test.each([
  ["a conversation that the assistant opens", [reply, user]],
  ["a reply after a reply", [user, reply, reply]],
  ["a conversation of system messages alone", [{ role: "system", content: "x" }]],
  ["arguments that are no JSON", [user, ...callAndResult("a", '{"path":'), user]],
  ["arguments of nothing", [user, ...callAndResult("a", ""), user]],
])("KIT2 OpenAI accepts %s", async (_, messages) => {
  for (const model of ["gpt-4.1", "o3", "chatgpt-4o-latest"]) expect(await ask({ model, messages })).toBe(200);
});

test.each([
  ["an empty text of the user", [{ role: "user", content: "" }]],
  ["an empty reply", [user, { role: "assistant", content: "" }, user]],
  ["a call id in two turns", [user, ...callAndResult("a"), reply, user, ...callAndResult("a")]],
  ["a call id with dots and colons", [user, ...callAndResult("functions.read:0")]],
  [
    "calls and results from before there were tools",
    [
      user,
      { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
      { role: "function", name: "read", content: "text" },
    ],
  ],
])("KIT2 OpenAI and other servers accept %s", async (_, messages) => {
  for (const model of ["gpt-4.1", "kimi-k2"]) expect(await ask({ model, messages })).toBe(200);
});

test("KIT2 only OpenAI refuses a call id of more than 40 characters", async () => {
  const messages = [user, ...callAndResult("c".repeat(41))];
  expect(await ask({ model: "kimi-k2", messages })).toBe(200);
  expect(await ask({ model: "gpt-4.1", messages })).toBe(400);
});

test.each([
  { model: "gpt-4.1", max_tokens: 9, temperature: 0 },
  { model: "gpt-5-mini", max_completion_tokens: 9, temperature: 1 },
  { model: "gpt-5.1", temperature: 0 },
  { model: "gpt-5.2", temperature: 0, reasoning_effort: "none" },
  { model: "gpt-5-chat-latest", temperature: 0 },
  { model: "qwen3", max_tokens: 9, temperature: 0.6 },
])("KIT2 accepts %j", async (settings) => {
  expect(await ask({ ...settings, messages: [user] })).toBe(200);
});

function callAndResult(id: string, json = "{}"): readonly object[] {
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "read", arguments: json } }],
    },
    { role: "tool", tool_call_id: id, content: "text" },
  ];
}

async function ask(body: object): Promise<number> {
  const { status } = await postJson(`${server.url}/v1/chat/completions`, body, { authorization: "Bearer test" });
  return status;
}
