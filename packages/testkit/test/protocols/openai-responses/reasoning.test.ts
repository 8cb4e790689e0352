/** Tests requests that return reasoning: unchanged, changed, moved, or without the items it belongs to. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

interface Item {
  readonly type: string;
  readonly id?: string;
  readonly encrypted_content?: string;
  readonly call_id?: string;
}

const user = { role: "user", content: "compare a and b" };
const nextQuestion = { role: "user", content: "and then?" };

let server: TestServer;
let items: readonly Item[];
beforeEach(async () => {
  server = await startServer({
    script: ({ number }) =>
      number > 1
        ? "fine"
        : {
            parts: [
              { type: "thinking", text: "First a, then b." },
              { type: "text", text: "Let me look." },
              { type: "thinking", text: "Now the file.", redacted: true },
              { type: "call", name: "read", arguments: { path: "a" } },
              { type: "call", name: "read", arguments: { path: "b" } },
            ],
          },
  });
  items = JSON.parse((await postInput([user])).text).output;
});
afterEach(() => server.close());

test("KIT3 accepts unchanged reasoning, with or without its summary and its id", async () => {
  expect(await sendBack(items)).toBe("accepted");
  expect(await sendBack(items.map((item) => (item.type === "reasoning" ? { ...item, summary: [] } : item)))).toBe(
    "accepted",
  );
  expect(await sendBack(items.map(({ id: _, ...item }) => item))).toBe("accepted");
});

test("KIT3 accepts items without ids and without their reasoning", async () => {
  const bare = items.filter(({ type }) => type !== "reasoning").map(({ id: _, ...item }) => item);
  expect(await sendBack(bare)).toBe("accepted");
});

test("KIT3 refuses changed reasoning", async () => {
  const id = items[0]?.id;
  const [first = "", ...rest] = items[0]?.encrypted_content ?? "";
  for (const encrypted_content of [
    `${first === "e" ? "f" : "e"}${rest.join("").slice(1)}`,
    rest.join(""),
    "",
    "e30=",
    `${first}${rest.join("").slice(0, 40)}`,
  ])
    expect(await sendBack(changeItem(0, { encrypted_content }))).toContain(
      `The encrypted content for item ${id} could not be verified.`,
    );
  expect(await sendBack(changeItem(0, { summary: [{ type: "summary_text", text: "First b, then a." }] }))).toContain(
    "could not be verified",
  );
});

test("KIT3 refuses reasoning of another model", async () => {
  expect(await sendBack(items, { model: "gpt-5-mini" })).toContain("could not be verified");
});

test("KIT3 refuses reasoning without encrypted content if the provider stores nothing", async () => {
  expect(await sendBack(changeItem(0, { encrypted_content: undefined }))).toContain(
    `Item with id '${items[0]?.id}' not found.`,
  );
  expect(await sendBack(changeItem(0, { encrypted_content: undefined }), { store: true })).toBe("accepted");
});

test("KIT3 refuses malformed reasoning", async () => {
  expect(await sendBack(changeItem(0, { summary: undefined }))).toContain(
    "Missing required parameter: 'input[1].summary'.",
  );
  expect(await sendBack(changeItem(0, { summary: [{ type: "text", text: "x" }] }))).toContain("Invalid value: 'text'.");
  expect(await sendBack(changeItem(0, { id: "msg_1" }))).toContain("Expected an ID that begins with 'rs'.");
});

test("KIT3 refuses reasoning without the item that followed it", async () => {
  const without = `Item '${items[0]?.id}' of type 'reasoning' was provided without its required following item.`;
  expect(await sendBack(items.slice(0, 1))).toContain(without);
  expect(await sendBack(items.filter((_, at) => at !== 1))).toContain(without);
  expect(await sendBack(items.filter((_, at) => at === 0 || at > 2))).toContain(without);
});

test("KIT3 refuses an item without its reasoning", async () => {
  expect(await sendBack(items.filter((_, at) => at !== 0))).toContain(
    `Item '${items[1]?.id}' of type 'message' was provided without its required 'reasoning' item: '${items[0]?.id}'.`,
  );
  expect(await sendBack(items.filter((_, at) => at !== 2))).toContain(
    `Item '${items[3]?.id}' of type 'function_call' was provided without its required 'reasoning' item: '${items[2]?.id}'.`,
  );
});

test("KIT3 sends encrypted content only if the request includes it", async () => {
  await server.close();
  server = await startServer({
    script: [
      {
        parts: [
          { type: "thinking", text: "hm" },
          { type: "text", text: "yes" },
        ],
      },
    ],
  });
  const { text } = await postInput([user], { include: [] });
  expect(JSON.parse(text).output[0]).toEqual({
    id: expect.stringMatching(/^rs_/),
    type: "reasoning",
    summary: [{ type: "summary_text", text: "hm" }],
  });
});

function changeItem(index: number, change: object): readonly unknown[] {
  return items.map((item, at) => (at === index ? { ...item, ...change } : item));
}

/** Sends items back with a result for each call. Returns "accepted" or the refusal. */
async function sendBack(returnedItems: readonly unknown[], settings: object = {}): Promise<string> {
  const outputs = (returnedItems as readonly Item[])
    .filter(({ type }) => type === "function_call")
    .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "text" }));
  const { status, message } = await postInput([user, ...returnedItems, ...outputs, nextQuestion], settings);
  return status === 200 ? "accepted" : message;
}

function postInput(input: readonly unknown[], settings: object = {}): ReturnType<typeof postJson> {
  const body = { model: "gpt-5.1", store: false, include: ["reasoning.encrypted_content"], input, ...settings };
  return postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer test" });
}
