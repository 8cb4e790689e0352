/** Reasoning sent back: as it was, changed, moved, or torn from what it belongs to. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../server/post-json.ts";

interface Item {
  readonly type: string;
  readonly id?: string;
  readonly encrypted_content?: string;
  readonly call_id?: string;
}

const user = { role: "user", content: "compare a and b" };
const more = { role: "user", content: "and then?" };

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
  items = JSON.parse((await asked([user])).text).output;
});
afterEach(() => server.close());

test("KIT3 reasoning as it was is accepted, with its summary and without, with its id and without", async () => {
  expect(await sentBack(items)).toBe("accepted");
  expect(await sentBack(items.map((item) => (item.type === "reasoning" ? { ...item, summary: [] } : item)))).toBe(
    "accepted",
  );
  expect(await sentBack(items.map(({ id: _, ...item }) => item))).toBe("accepted");
});

test("KIT3 items without ids may stand without their reasoning", async () => {
  const bare = items.filter(({ type }) => type !== "reasoning").map(({ id: _, ...item }) => item);
  expect(await sentBack(bare)).toBe("accepted");
});

test("KIT3 changed reasoning is refused", async () => {
  const id = items[0]?.id;
  const [first = "", ...rest] = items[0]?.encrypted_content ?? "";
  for (const encrypted_content of [
    `${first === "e" ? "f" : "e"}${rest.join("").slice(1)}`,
    rest.join(""),
    "",
    "e30=",
    `${first}${rest.join("").slice(0, 40)}`,
  ])
    expect(await sentBack(changed(0, { encrypted_content }))).toContain(
      `The encrypted content for item ${id} could not be verified.`,
    );
  expect(await sentBack(changed(0, { summary: [{ type: "summary_text", text: "First b, then a." }] }))).toContain(
    "could not be verified",
  );
});

test("KIT3 reasoning that another model made is refused", async () => {
  expect(await sentBack(items, { model: "gpt-5-mini" })).toContain("could not be verified");
});

test("KIT3 reasoning whose sealed part is missing is refused where nothing is kept", async () => {
  expect(await sentBack(changed(0, { encrypted_content: undefined }))).toContain(
    `Item with id '${items[0]?.id}' not found.`,
  );
  expect(await sentBack(changed(0, { encrypted_content: undefined }), { store: true })).toBe("accepted");
});

test("KIT3 reasoning in a wrong shape is refused", async () => {
  expect(await sentBack(changed(0, { summary: undefined }))).toContain(
    "Missing required parameter: 'input[1].summary'.",
  );
  expect(await sentBack(changed(0, { summary: [{ type: "text", text: "x" }] }))).toContain("Invalid value: 'text'.");
  expect(await sentBack(changed(0, { id: "msg_1" }))).toContain("Expected an ID that begins with 'rs'.");
});

test("KIT3 reasoning without the item that follows it is refused", async () => {
  const without = `Item '${items[0]?.id}' of type 'reasoning' was provided without its required following item.`;
  expect(await sentBack(items.slice(0, 1))).toContain(without);
  expect(await sentBack(items.filter((_, at) => at !== 1))).toContain(without);
  expect(await sentBack(items.filter((_, at) => at === 0 || at > 2))).toContain(without);
});

test("KIT3 an item without the reasoning it came with is refused", async () => {
  expect(await sentBack(items.filter((_, at) => at !== 0))).toContain(
    `Item '${items[1]?.id}' of type 'message' was provided without its required 'reasoning' item: '${items[0]?.id}'.`,
  );
  expect(await sentBack(items.filter((_, at) => at !== 2))).toContain(
    `Item '${items[3]?.id}' of type 'function_call' was provided without its required 'reasoning' item: '${items[2]?.id}'.`,
  );
});

test("KIT3 what is sealed is only told to who asks for it", async () => {
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
  const { text } = await asked([user], { include: [] });
  expect(JSON.parse(text).output[0]).toEqual({
    id: expect.stringMatching(/^rs_/),
    type: "reasoning",
    summary: [{ type: "summary_text", text: "hm" }],
  });
});

function changed(place: number, change: object): readonly unknown[] {
  return items.map((item, at) => (at === place ? { ...item, ...change } : item));
}

/** With a result for each call; "accepted", or why not. */
async function sentBack(back: readonly unknown[], settings: object = {}): Promise<string> {
  const outputs = (back as readonly Item[])
    .filter(({ type }) => type === "function_call")
    .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "text" }));
  const { status, message } = await asked([user, ...back, ...outputs, more], settings);
  return status === 200 ? "accepted" : message;
}

function asked(input: readonly unknown[], settings: object = {}): ReturnType<typeof postJson> {
  const body = { model: "gpt-5.1", store: false, include: ["reasoning.encrypted_content"], input, ...settings };
  return postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer test" });
}
