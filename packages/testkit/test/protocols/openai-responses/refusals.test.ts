/** Tests requests that the API refuses. Each differs from a valid request by one fault. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

type Body = Readonly<Record<string, unknown>>;

const user = { role: "user", content: [{ type: "input_text", text: "compare a and b" }] };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' };
const output = { type: "function_call_output", call_id: "call_1", output: "text of a" };
const tool = { type: "function", name: "read", parameters: { type: "object", properties: {} } };
const picture = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" };

const validBody: Body = {
  model: "gpt-5.1",
  instructions: "You compare files.",
  input: [
    { role: "developer", content: "be brief" },
    user,
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "yes", annotations: [] }],
    },
    call,
    output,
    { role: "user", content: [picture, { type: "input_image", image_url: "https://example.org/a.png" }] },
  ],
  tools: [tool],
  tool_choice: { type: "function", name: "read" },
  reasoning: { effort: "high", summary: "auto" },
  include: ["reasoning.encrypted_content"],
  store: false,
  stream: false,
  max_output_tokens: 1000,
};

/** The fault, the body that has it, and the error message. */
const refusals: readonly (readonly [string, Body, string])[] = [
  ["an unknown parameter", { max_tokens: 9 }, "Unknown parameter: 'max_tokens'."],
  ["no model", { model: undefined }, "Missing required parameter: 'model'."],
  ["no input", { input: undefined }, "Missing required parameter: 'input'."],
  ["an empty input", { input: [] }, "Missing required parameter: 'input'."],
  ["an input that is an object", { input: user }, "Invalid type for 'input': expected one of a string or array"],
  ["too small a limit", { max_output_tokens: 1 }, "Expected a value >= 16, but got 1 instead."],
  ["a limit that is a string", { max_output_tokens: "9" }, "Invalid type for 'max_output_tokens'"],
  ["a temperature beyond 2", { temperature: 3 }, "Invalid 'temperature'"],
  ["an unknown effort", { reasoning: { effort: "huge" } }, "Invalid value: 'huge'."],
  ["an unknown thing to include", { include: ["everything"] }, "Invalid value: 'everything'."],
  ["an id of no response", { previous_response_id: "r1" }, "Expected an ID that begins with 'resp'."],
  [
    "a tool in the shape of Chat Completions",
    { tools: [{ type: "function", function: tool }] },
    "Missing required parameter: 'tools[0].name'.",
  ],
  [
    "a tool name with a space",
    { tools: [{ ...tool, name: "read it" }] },
    "Invalid 'tools[0].name': string does not match pattern.",
  ],
  [
    "a tool name that is too long",
    { tools: [{ ...tool, name: "r".repeat(65) }] },
    "maximum length 64, but got a string with length 65",
  ],
  [
    "a schema that is no object",
    { tools: [{ ...tool, parameters: { type: "string" } }] },
    "Invalid schema for function 'read'",
  ],
  ["a tool declared twice", { tools: [tool, tool] }, "Tool names must be unique: 'read'"],
  [
    "a forced tool that is not declared",
    { tool_choice: { type: "function", name: "write" } },
    "Tool choice 'write' not found",
  ],
  ["an unknown choice", { tool_choice: "any" }, "Invalid value: 'any'."],
  ["an unknown kind of item", input(user, { type: "tool_use", id: "x" }), "Invalid value: 'tool_use'."],
  ["an item that is a string", input("hello"), "Invalid type for 'input[0]': expected an input item"],
  ["an unknown role", input(user, { role: "tool", content: "x" }), "Invalid value: 'tool'."],
  ["a field no item has", input({ ...user, cache_control: {} }), "Unknown parameter: 'input[0].cache_control'."],
  ["a message without content", input({ role: "user" }), "Missing required parameter: 'input[0].content'."],
  [
    "a part of a kind the user cannot say",
    input({ role: "user", content: [{ type: "text", text: "x" }] }),
    "Invalid value: 'text'. Supported values are: 'input_text'",
  ],
  [
    "a part of a kind the assistant cannot say",
    input(user, { role: "assistant", content: [{ type: "input_text", text: "x" }] }),
    "Invalid value: 'input_text'.",
  ],
  [
    "a text that is null",
    input({ role: "user", content: [{ type: "input_text", text: null }] }),
    "'input[0].content[0].text': expected a string, but got null",
  ],
  [
    "a message whose id is a call's",
    input(user, { role: "assistant", id: "fc_2", content: "x" }),
    "Invalid 'input[1].id': 'fc_2'. Expected an ID that begins with 'msg'.",
  ],
  [
    "a call whose id is its call id",
    input(user, { ...call, id: "call_1" }, output),
    "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
  ],
  ["an id with a bar", input(user, { ...call, id: "fc_1|x" }, output), "Expected an ID that contains letters, numbers"],
  [
    "the same item twice",
    input(user, call, output, { ...call, call_id: "call_2" }, { ...output, call_id: "call_2" }),
    "Duplicate item found with id fc_1.",
  ],
  [
    "a call without a name",
    input(user, { ...call, name: undefined }, output),
    "Missing required parameter: 'input[1].name'.",
  ],
  [
    "a call name with a dot",
    input(user, { ...call, name: "fs.read" }, output),
    "Invalid 'input[1].name': string does not match pattern.",
  ],
  [
    "arguments that are an object",
    input(user, { ...call, arguments: {} }, output),
    "'input[1].arguments': expected a string, but got an object",
  ],
  [
    "arguments that are no JSON",
    input(user, { ...call, arguments: '{"path":' }, output),
    "Invalid 'input[1].arguments': expected a string of valid JSON.",
  ],
  [
    "a call id that is too long",
    input(user, { ...call, call_id: "c".repeat(65) }, output),
    "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64",
  ],
  [
    "a call id of other letters",
    input(user, { ...call, call_id: "call:1" }, { ...output, call_id: "call:1" }),
    "Invalid 'input[1].call_id': string does not match pattern.",
  ],
  ["a call without an output", input(user, call), "No tool output found for function call call_1."],
  ["an output without a call", input(user, output), "No tool call found for function call output with call_id call_1."],
  [
    "an output before its call",
    input(user, output, call),
    "No tool call found for function call output with call_id call_1.",
  ],
  [
    "two outputs for a call",
    input(user, call, output, output),
    "More than one tool output found for function call call_1.",
  ],
  [
    "a call id that serves twice",
    input(user, call, output, { ...call, id: "fc_2" }, output),
    "Duplicate 'call_id': call_1.",
  ],
  ["an output that is an object", input(user, call, { ...output, output: {} }), "Invalid type for 'input[2].output'"],
  [
    "an image in the shape of Chat Completions",
    input({ role: "user", content: [{ ...picture, image_url: { url: "x" } }] }),
    "'input[0].content[0].image_url': expected a string, but got an object",
  ],
  [
    "an image of an unsupported type",
    input({ role: "user", content: [{ ...picture, image_url: "data:image/tiff;base64,AAAA" }] }),
    "unsupported MIME type 'image/tiff'",
  ],
  [
    "an image that is not base64",
    input({ role: "user", content: [{ ...picture, image_url: "data:image/png;base64,??" }] }),
    "data that is not base64",
  ],
  ["an unknown detail", input({ role: "user", content: [{ ...picture, detail: "some" }] }), "Invalid value: 'some'."],
  [
    "a broken image in an output",
    input(user, call, { ...output, output: [{ ...picture, image_url: "a.png" }] }),
    "Invalid 'input[2].output[0].image_url'.",
  ],
  [
    "a reference to what was not kept",
    input(user, { type: "item_reference", id: "rs_1" }),
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  ],
  [
    "half of a surrogate pair",
    input({ role: "user", content: "\ud83d" }),
    "We could not parse the JSON body of your request",
  ],
  [
    "a text beyond all measure",
    input({ role: "user", content: "x".repeat(10_485_761) }),
    "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760",
  ],
  ["a part that is a string", input({ role: "user", content: ["x"] }), "Invalid type for 'input[0].content[0]'"],
  [
    "a part without a type",
    input({ role: "user", content: [{ text: "x" }] }),
    "Missing required parameter: 'input[0].content[0].type'.",
  ],
  [
    "a text part without text",
    input({ role: "user", content: [{ type: "input_text" }] }),
    "Missing required parameter: 'input[0].content[0].text'.",
  ],
  [
    "an image part without image",
    input({ role: "user", content: [{ type: "input_image" }] }),
    "Missing required parameter: 'input[0].content[0].image_url'.",
  ],
  [
    "a reference to nothing",
    { store: true, ...input(user, { type: "item_reference" }) },
    "Missing required parameter: 'input[1].id'.",
  ],
  ["an id that is a number", input(user, { ...call, id: 1 }, output), "Invalid type for 'input[1].id'"],
  [
    "an id that is too long",
    input(user, { ...call, id: `fc_${"1".repeat(62)}` }, output),
    "Invalid 'input[1].id': string too long.",
  ],
  [
    "a summary that is a string",
    input(user, { type: "reasoning", summary: "hm" }),
    "Invalid type for 'input[1].summary'",
  ],
  [
    "a summary whose text is null",
    input(user, { type: "reasoning", summary: [{ type: "summary_text", text: null }] }),
    "Invalid type for 'input[1].summary[0].text'",
  ],
  ["a stream that is a string", { stream: "yes" }, "Invalid type for 'stream'"],
  ["a store that is a string", { store: "no" }, "Invalid type for 'store'"],
  ["reasoning that is a string", { reasoning: "high" }, "Invalid type for 'reasoning'"],
  ["an unknown kind of summary", { reasoning: { summary: "long" } }, "Invalid value: 'long'."],
  ["a tool that is a string", { tools: ["read"] }, "Invalid type for 'tools[0]'"],
  ["a tool without a type", { tools: [{ name: "read" }] }, "Missing required parameter: 'tools[0].type'."],
  ["a schema that is a string", { tools: [{ ...tool, parameters: "{}" }] }, "Invalid type for 'tools[0].parameters'"],
  ["a tool name that is a number", { tools: [{ ...tool, name: 1 }] }, "Invalid type for 'tools[0].name'"],
  ["a choice that is a number", { tool_choice: 1 }, "Invalid type for 'tool_choice'"],
  [
    "a forced tool without a name",
    { tool_choice: { type: "function" } },
    "Missing required parameter: 'tool_choice.name'.",
  ],
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test("KIT2 accepts the valid request, and a plain string as input", async () => {
  expect(await postBody(validBody)).toMatchObject({ status: 200 });
  expect(await postBody({ model: "gpt-5.1", input: "hello" })).toMatchObject({ status: 200 });
});

test("KIT2 accepts ids with dashes", async () => {
  const reply = { type: "message", id: "msg_ab-c", role: "assistant", content: "yes" };
  expect(await postBody({ ...validBody, input: [user, reply, user] })).toMatchObject({ status: 200 });
});

test.each(refusals)("KIT2 %s is refused", async (_, change, message) => {
  const { status, kind, ...answer } = await postBody({ ...validBody, ...change });
  expect(answer.message).toContain(message);
  expect([status, kind]).toEqual([message.startsWith("Item with id") ? 404 : 400, "invalid_request_error"]);
});

test("KIT2 a refusal has the API's error format", async () => {
  const { text } = await postBody({ ...validBody, ...input(user, { ...call, call_id: "c".repeat(65) }) });
  const { error } = JSON.parse(text);
  expect(error).toEqual({
    message: expect.any(String),
    type: "invalid_request_error",
    param: null,
    code: "string_above_max_length",
  });
});

test("KIT2 refuses a request without a key", async () => {
  const { status, text } = await postJson(`${server.url}/v1/responses`, validBody);
  expect([status, JSON.parse(text).error.code]).toEqual([401, "invalid_api_key"]);
});

test("KIT2 refuses a request of more than 50 MB", async () => {
  const image_url = `data:image/png;base64,${"A".repeat(51 * 1024 * 1024)}`;
  const { status, message } = await postBody({
    ...validBody,
    ...input({ role: "user", content: [{ ...picture, image_url }] }),
  });
  expect([status, message]).toEqual([413, expect.stringContaining("too large")]);
});

function input(...items: readonly unknown[]): Body {
  return { input: items };
}

function postBody(body: unknown): ReturnType<typeof postJson> {
  return postJson(`${server.url}/v1/responses`, body, { authorization: "Bearer test" });
}
