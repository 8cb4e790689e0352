/** Tests requests that OpenAI or a strict compatible server refuses. Each differs from a valid request by one fault. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { postJson } from "../../support/requests.ts";

type Body = Readonly<Record<string, unknown>>;

const user = { role: "user", content: "compare a and b" };
const call = { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
const other = { ...call, id: "call_2" };
const callMessage = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "text of a" };
const tool = { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } };
const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } };

const validBody: Body = {
  model: "gpt-4.1",
  messages: [
    { role: "system", content: "You compare files." },
    user,
    { ...callMessage, tool_calls: [call, other], reasoning_content: "hm", provider: "some" },
    { ...result, tool_call_id: "call_2" },
    result,
    { role: "user", content: [{ type: "text", text: "and this?" }, picture] },
    { role: "assistant", content: [{ type: "text", text: "yes" }] },
    user,
  ],
  tools: [tool],
  tool_choice: { type: "function", function: { name: "read" } },
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 1000,
  chat_template_kwargs: { enable_thinking: true },
};

/** The fault, the body that has it, and the error message. */
const refusals: readonly (readonly [string, Body, string])[] = [
  ["no model", { model: undefined }, "you must provide a model parameter"],
  ["no messages", { messages: undefined }, "Missing required parameter: 'messages'."],
  ["an empty list of messages", { messages: [] }, "Invalid 'messages': empty array."],
  ["messages that are a string", { messages: "hello" }, "Invalid type for 'messages'"],
  [
    "two limits",
    { max_tokens: 9 },
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  ],
  ["a limit of nothing", { max_completion_tokens: 0 }, "Expected a value >= 1, but got 0 instead."],
  ["a temperature beyond 2", { temperature: 3 }, "Invalid 'temperature'"],
  [
    "options of a stream without one",
    { stream: false },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  ["an empty list of tools", { tools: [] }, "Invalid 'tools': empty array."],
  [
    "too many tools",
    { tools: Array.from({ length: 129 }, (_, at) => toolNamed(`t${at}`)) },
    "array too long. Expected an array with maximum length 128",
  ],
  [
    "a tool in the shape of Responses",
    { tools: [{ type: "function", name: "read" }] },
    "Missing required parameter: 'tools[0].function'.",
  ],
  [
    "a tool name with a dot",
    { tools: [toolNamed("fs.read")] },
    "Invalid 'tools[0].function.name': string does not match pattern.",
  ],
  [
    "a tool name that is too long",
    { tools: [toolNamed("r".repeat(65))] },
    "maximum length 64, but got a string with length 65",
  ],
  [
    "a schema that is no object",
    { tools: [{ type: "function", function: { name: "read", parameters: { type: "array" } } }] },
    "Invalid schema for function 'read'",
  ],
  ["a tool declared twice", { tools: [tool, tool] }, "Tool names must be unique: 'read'"],
  [
    "a forced tool that is not declared",
    { tool_choice: { type: "function", function: { name: "write" } } },
    "Tool choice 'write' not found",
  ],
  ["a choice among no tools", { tools: undefined }, "'tool_choice' is only allowed when 'tools' are specified."],
  ["an unknown choice", { tool_choice: "any" }, "Invalid value: 'any'."],
  ["a message that is a string", messages("hello"), "Invalid type for 'messages[0]'"],
  ["an unknown role", messages(user, { role: "toolResult", content: "x" }), "Invalid value: 'toolResult'."],
  [
    "a user who says null",
    messages({ role: "user", content: null }),
    "Invalid value for 'content': expected a string, got null.",
  ],
  ["a user with an empty list", messages({ role: "user", content: [] }), "Invalid 'messages[0].content': empty array."],
  ["a user without content", messages({ role: "user" }), "Missing required parameter: 'messages[0].content'."],
  [
    "an empty text",
    messages({ role: "user", content: [{ type: "text", text: "" }] }),
    "Invalid 'messages[0].content[0].text': empty string.",
  ],
  [
    "a part in the shape of Responses",
    messages({ role: "user", content: [{ type: "input_text", text: "x" }] }),
    "Invalid value: 'input_text'.",
  ],
  [
    "an image in the shape of Responses",
    messages({ role: "user", content: [{ type: "image_url", image_url: "data:" }] }),
    "'messages[0].content[0].image_url': expected an object",
  ],
  [
    "an image of an unsupported type",
    messages({ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/heic;base64,AAAA" } }] }),
    "unsupported MIME type 'image/heic'",
  ],
  [
    "an image that is not base64",
    messages({ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,<svg>" } }] }),
    "data that is not base64",
  ],
  [
    "an image in a result",
    messages(user, callMessage, { ...result, content: [picture] }),
    "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
  ],
  [
    "an image in a reply",
    messages(user, { role: "assistant", content: [picture] }, user),
    "this message with role 'assistant' contains an image URL.",
  ],
  [
    "a reply with neither content nor calls",
    messages(user, { role: "assistant", content: null, reasoning_content: "hm" }, user),
    "Invalid assistant message: content or tool_calls must be set.",
  ],
  [
    "a reply with an empty list of calls",
    messages(user, { role: "assistant", content: "x", tool_calls: [] }, user),
    "Invalid 'messages[1].tool_calls': empty array.",
  ],
  [
    "a call without an id",
    messagesWithCall({ ...call, id: undefined }),
    "Missing required parameter: 'messages[1].tool_calls[0].id'.",
  ],
  [
    "a call id that is too long",
    messagesWithCall({ ...call, id: "c".repeat(41) }),
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40",
  ],
  [
    "a call id of other letters",
    messagesWithCall({ ...call, id: "call|1" }),
    "Invalid 'messages[1].tool_calls[0].id': string does not match pattern.",
  ],
  [
    "a call without a type",
    messagesWithCall({ ...call, type: undefined }),
    "Missing required parameter: 'messages[1].tool_calls[0].type'.",
  ],
  [
    "a call name with a space",
    messagesWithCall({ ...call, function: { name: "read it", arguments: "{}" } }),
    "Invalid 'messages[1].tool_calls[0].function.name'",
  ],
  [
    "arguments that are an object",
    messagesWithCall({ ...call, function: { name: "read", arguments: {} } }),
    "expected a string, but got an object",
  ],
  [
    "arguments that are no JSON, with others than OpenAI",
    { ...messagesWithCall({ ...call, function: { name: "read", arguments: "{" } }), model: "qwen3" },
    "expected a string of valid JSON",
  ],
  [
    "an old call without arguments",
    messages(user, { role: "assistant", content: null, function_call: { name: "read" } }),
    "Missing required parameter: 'messages[1].function_call.arguments'.",
  ],
  [
    "an old result without a name",
    messages(user, { role: "function", content: "x" }),
    "Missing required parameter: 'messages[1].name'.",
  ],
  [
    "the old limit with a model that thinks",
    { model: "o4-mini", max_completion_tokens: undefined, max_tokens: 9 },
    "Use 'max_completion_tokens' instead.",
  ],
  [
    "a temperature with a model that thinks",
    { model: "gpt-5-mini", temperature: 0.2 },
    "'temperature' does not support 0.2 with this model.",
  ],
  [
    "a temperature with a reasoning effort",
    { model: "gpt-5.2", temperature: 0, reasoning_effort: "low" },
    "'temperature' does not support 0 with this model.",
  ],
  [
    "a result without an id",
    messages(user, callMessage, { ...result, tool_call_id: undefined }),
    "Missing required parameter: 'messages[2].tool_call_id'.",
  ],
  [
    "a result without a call",
    messages(user, result),
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    "a result that stands behind another message",
    messages(user, callMessage, result, user, result),
    "messages with role 'tool' must be a response",
  ],
  [
    "a call without a result",
    messages(user, callMessage, user),
    "The following tool_call_ids did not have response messages: call_1",
  ],
  ["a call without a result at the end", messages(user, callMessage), "did not have response messages: call_1"],
  [
    "one of two calls without a result",
    messages(user, { ...callMessage, tool_calls: [call, other] }, result, user),
    "did not have response messages: call_2",
  ],
  [
    "a call with two results",
    messages(user, callMessage, result, result),
    "'tool_call_id' call_1 already has a response.",
  ],
  [
    "a call id that serves twice in one reply",
    messages(user, { ...callMessage, tool_calls: [call, call] }, result),
    "Duplicate tool call id: 'call_1'",
  ],
  [
    "a conversation that the assistant opens",
    { ...messages({ role: "assistant", content: "hello" }, user), model: "qwen3" },
    "must start with a user message",
  ],
  [
    "a conversation of system messages alone",
    { ...messages({ role: "system", content: "x" }), model: "kimi-k2" },
    "must start with a user message",
  ],
  [
    "a reply behind a reply",
    {
      ...messages(user, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }),
      model: "mistral-small",
    },
    "an assistant message follows an assistant message",
  ],
  [
    "half of a surrogate pair",
    messages({ role: "user", content: "\udc00" }),
    "We could not parse the JSON body of your request",
  ],
  ["content that is an object", messages({ role: "user", content: {} }), "Invalid type for 'messages[0].content'"],
  ["a part that is a string", messages({ role: "user", content: ["x"] }), "Invalid type for 'messages[0].content[0]'"],
  ["a part without a type", messages({ role: "user", content: [{ text: "x" }] }), "'messages[0].content[0].type'."],
  [
    "a text part without text",
    messages({ role: "user", content: [{ type: "text" }] }),
    "'messages[0].content[0].text'.",
  ],
  ["a text that is null", messages({ role: "user", content: [{ type: "text", text: null }] }), "but got null instead"],
  [
    "an image part without image",
    messages({ role: "user", content: [{ type: "image_url" }] }),
    "'messages[0].content[0].image_url'.",
  ],
  [
    "calls that are an object",
    messages(user, { ...callMessage, tool_calls: call }, user),
    "Invalid type for 'messages[1].tool_calls'",
  ],
  [
    "a call that is a string",
    messages(user, { ...callMessage, tool_calls: ["x"] }, user),
    "Invalid type for 'messages[1].tool_calls[0]'",
  ],
  ["a call of another type", messagesWithCall({ ...call, type: "tool_use" }), "Invalid value: 'tool_use'."],
  [
    "a call without a function",
    messagesWithCall({ ...call, function: undefined }),
    "'messages[1].tool_calls[0].function'.",
  ],
  [
    "a call without arguments",
    messagesWithCall({ ...call, function: { name: "read" } }),
    "'messages[1].tool_calls[0].function.arguments'.",
  ],
  [
    "a call id that is a number",
    messagesWithCall({ ...call, id: 1 }),
    "Invalid type for 'messages[1].tool_calls[0].id'",
  ],
  ["an empty call id", messagesWithCall({ ...call, id: "" }), "Invalid 'messages[1].tool_calls[0].id': empty string."],
  ["a limit that is a string", { max_completion_tokens: "9" }, "Invalid type for 'max_completion_tokens'"],
  ["a stream that is a string", { stream: "yes", stream_options: undefined }, "Invalid type for 'stream'"],
  ["tools that are an object", { tools: tool }, "Invalid type for 'tools'"],
  ["a tool that is a string", { tools: ["read"] }, "Invalid type for 'tools[0]'"],
  [
    "a tool without a type",
    { tools: [{ function: { name: "read" } }] },
    "Missing required parameter: 'tools[0].type'.",
  ],
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test("KIT2 accepts the valid request", async () => {
  expect(await postBody(validBody)).toMatchObject({ status: 200 });
});

test.each(refusals)("KIT2 %s is refused", async (_, change, message) => {
  const { status, kind, ...answer } = await postBody({ ...validBody, ...change });
  expect(answer.message).toContain(message);
  expect([status, kind]).toEqual([400, "invalid_request_error"]);
});

test("KIT2 a refusal has the API's error format", async () => {
  const { text } = await postBody({ ...validBody, max_tokens: 9 });
  expect(JSON.parse(text)).toEqual({
    error: {
      message: expect.any(String),
      type: "invalid_request_error",
      param: null,
      code: "invalid_parameter_combination",
    },
  });
});

test("KIT2 only Groq's API refuses reasoning that is sent back", async () => {
  const { status, message } = await postJson(`${server.url}/openai/v1/chat/completions`, validBody, {
    authorization: "Bearer test",
  });
  expect([status, message]).toEqual([400, expect.stringContaining("property 'reasoning_content' is unsupported")]);
  expect((await postBody(validBody)).status).toBe(200);
});

test("KIT2 refuses a request without a key", async () => {
  const { status, text } = await postJson(`${server.url}/v1/chat/completions`, validBody);
  expect([status, JSON.parse(text).error.code]).toEqual([401, "invalid_api_key"]);
});

function messages(...list: readonly unknown[]): Body {
  return { messages: list };
}

function messagesWithCall(one: object): Body {
  return messages(user, { ...callMessage, tool_calls: [one] }, result);
}

function toolNamed(name: string): object {
  return { type: "function", function: { name } };
}

function postBody(body: unknown): ReturnType<typeof postJson> {
  return postJson(`${server.url}/v1/chat/completions`, body, { authorization: "Bearer test" });
}
