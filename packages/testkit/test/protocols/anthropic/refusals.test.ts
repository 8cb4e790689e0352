/** Tests requests that Anthropic refuses. Each differs from a valid request by one fault. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { createSignature, sealText } from "../../../src/protocols/signature.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

type Body = Readonly<Record<string, unknown>>;

const model = "claude-sonnet-4-5";
const mark = { type: "ephemeral" };
const hello = user({ type: "text", text: "hello" });
const thought = { type: "thinking", thinking: "let me see", signature: createSignature(model, "let me see") };
const redactedThought = { type: "redacted_thinking", data: sealText(model, "hidden") };
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const schema = { type: "object", properties: {} };

/** A valid request with every kind of field. */
const validBody: Body = {
  model,
  max_tokens: 4096,
  stream: true,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [{ name: "read", description: "Reads.", input_schema: schema }],
  tool_choice: { type: "auto" },
  thinking: { type: "enabled", budget_tokens: 1024 },
  messages: [
    hello,
    reply(thought, redactedThought, { type: "text", text: "I look." }, call("a"), call("b")),
    user(result("a"), result("b", [{ type: "text", text: "found" }, picture]), {
      type: "text",
      text: "and?",
      cache_control: mark,
    }),
  ],
};

const refusals: readonly (readonly [string, Body, RegExp])[] = [
  [
    "a name it does not know",
    { ...validBody, max_completion_tokens: 3 },
    /^max_completion_tokens: Extra inputs are not permitted/,
  ],
  [
    "an unknown name in a message",
    messages({ ...hello, id: "m1" }),
    /^messages\.0\.id: Extra inputs are not permitted/,
  ],
  [
    "an unknown name in a block",
    messages(user({ type: "text", text: "x", thoughtSignature: "y" })),
    /^messages\.0\.content\.0\.text\.thoughtSignature: Extra inputs/,
  ],
  [
    "an unknown name in a result",
    messages(hello, reply(thought, call("a")), user({ ...result("a"), name: "read" })),
    /^messages\.2\.content\.0\.tool_result\.name: Extra inputs/,
  ],
  ["a temperature of two", { ...validBody, temperature: 2 }, /^temperature: Input should be between 0 and 1/],
  ["a temperature of null", { ...validBody, temperature: null }, /^temperature: Input should be a valid number/],
  ["a stream that is a text", { ...validBody, stream: "yes" }, /^stream: Input should be a valid boolean/],
  ["tools that are no list", { ...validBody, tools: {} }, /^tools: Input should be a valid list/],
  [
    "a stop sequence of white space",
    { ...validBody, stop_sequences: ["END", " \n"] },
    /^stop_sequences\.1: each stop sequence must contain non-whitespace/,
  ],
  [
    "thinking without a budget",
    { ...validBody, thinking: { type: "enabled" } },
    /^thinking\.enabled\.budget_tokens: Field required/,
  ],
  ["top_k while it thinks", { ...validBody, top_k: 5 }, /^`top_k` must be unset when thinking is enabled/],
  [
    "a reply to go on from that ends in white space",
    { ...messages(hello, reply({ type: "text", text: "I think " })), thinking: undefined },
    /^messages: final assistant content cannot end with trailing whitespace/,
  ],
  ["no model", { ...validBody, model: "" }, /^model: Field required/],
  ["no room for a reply", { ...validBody, max_tokens: 0 }, /^max_tokens: .*greater than or equal to 1/],
  ["no messages", messages(), /at least one message is required/],
  ["a reply first", messages(reply({ type: "text", text: "hi" }), hello), /first message must use the "user" role/],
  [
    "a role of others",
    messages(hello, { role: "tool", content: "x" }),
    /messages\.1\.role: Input should be 'user' or 'assistant'/,
  ],
  ["a message without blocks", messages(user()), /messages\.0: all messages must have non-empty content/],
  ["an empty text", messages(user({ type: "text", text: "" })), /text content blocks must be non-empty/],
  ["a text of white space", messages(user({ type: "text", text: " \n" })), /must contain non-whitespace text/],
  [
    "an empty system text",
    { ...validBody, system: [{ type: "text", text: "" }] },
    /system: text content blocks must be non-empty/,
  ],
  [
    "a block of others",
    messages(user({ type: "input_text", text: "x" })),
    /messages\.0\.content\.0: Input tag 'input_text'/,
  ],
  [
    "a block of a kind that every object has",
    messages(user({ type: "constructor", text: "x" })),
    /messages\.0\.content\.0: Input tag 'constructor'/,
  ],
  [
    "a call without a result",
    messages(hello, reply(call("a")), hello),
    /`tool_use` ids were found without `tool_result` blocks immediately after: a/,
  ],
  ["a call at the end", messages(hello, reply(call("a"))), /without `tool_result` blocks immediately after: a/],
  ["one of two results", messages(hello, reply(call("a"), call("b")), user(result("a"))), /immediately after: b/],
  ["a result without a call", messages(user(result("z"))), /unexpected `tool_use_id` found in `tool_result` blocks: z/],
  [
    "a result too late",
    messages(hello, reply(call("a")), user(result("a")), reply({ type: "text", text: "ok" }), user(result("a"))),
    /unexpected `tool_use_id`.*: a/,
  ],
  [
    "a result twice",
    messages(hello, reply(call("a")), user(result("a"), result("a"))),
    /each tool_use must have a single result/,
  ],
  [
    "words before a result",
    messages(hello, reply(call("a")), user({ type: "text", text: "so" }, result("a"))),
    /`tool_result` blocks must come before/,
  ],
  [
    "an id twice",
    messages(hello, reply(call("a"), call("a")), user(result("a"))),
    /`tool_use` ids must be unique|ids must be unique/,
  ],
  [
    "an id with a bar",
    messages(hello, reply(call("call|fc_1")), user(result("call|fc_1"))),
    /tool_use\.id: String should match pattern/,
  ],
  [
    "arguments that are a text",
    messages(hello, reply({ ...call("a"), input: "{}" }), user(result("a"))),
    /tool_use\.input: Input should be a valid dictionary/,
  ],
  [
    "thinking at the end of a reply",
    messages(hello, reply({ type: "text", text: "a" }, thought), hello),
    /final block in an assistant message cannot be `thinking`/,
  ],
  [
    "a turn that went on without its thinking",
    messages(hello, reply(call("a")), user(result("a"))),
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  [
    "a loop of calls that began without thinking",
    messages(hello, reply(call("a")), user(result("a")), reply(thought, call("b")), user(result("b"))),
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  [
    "an image of another type",
    messages(user({ ...picture, source: { ...picture.source, media_type: "image/bmp" } })),
    /image\.source\.base64: media type image\/bmp/,
  ],
  [
    "an image that is not base64",
    messages(user({ ...picture, source: { ...picture.source, data: "data:image/png;base64,AA" } })),
    /image\.source\.base64: not base64/,
  ],
  [
    "an image of six megabytes",
    messages(user({ ...picture, source: { ...picture.source, data: "A".repeat(8_000_000) } })),
    /image exceeds 5 MB maximum/,
  ],
  [
    "a tool name with a dot",
    { ...validBody, tools: [{ name: "fs.read", input_schema: schema }] },
    /tools\.0\.custom\.name: String should match pattern/,
  ],
  [
    "a tool twice",
    {
      ...validBody,
      tools: [
        { name: "read", input_schema: schema },
        { name: "read", input_schema: schema },
      ],
    },
    /Tool names must be unique/,
  ],
  [
    "a tool without a schema",
    { ...validBody, tools: [{ name: "read" }] },
    /tools\.0\.custom\.input_schema: Field required/,
  ],
  [
    "a schema that is no object",
    { ...validBody, tools: [{ name: "read", input_schema: { type: "string" } }] },
    /input_schema\.type: Input should be 'object'/,
  ],
  [
    "a forced tool that is not there",
    { ...validBody, thinking: undefined, tool_choice: { type: "tool", name: "write" } },
    /Tool 'write' not found/,
  ],
  [
    "a forced tool while it thinks",
    { ...validBody, tool_choice: { type: "any" } },
    /Thinking may not be enabled when tool_choice forces tool use/,
  ],
  [
    "too little room to think",
    { ...validBody, thinking: { type: "enabled", budget_tokens: 100 } },
    /budget_tokens: Input should be greater than or equal to 1024/,
  ],
  [
    "more thinking than reply",
    { ...validBody, thinking: { type: "enabled", budget_tokens: 4096 } },
    /`max_tokens` must be greater than `thinking.budget_tokens`/,
  ],
  ["a temperature while it thinks", { ...validBody, temperature: 0 }, /`temperature` may only be set to 1/],
  [
    "five cache marks",
    messages(user(...Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: mark })))),
    /A maximum of 4 blocks with cache_control may be provided. Found 5/,
  ],
  [
    "four cache marks and one of the request",
    {
      ...messages(
        user(...Array.from({ length: 4 }, () => ({ type: "text", text: "x", cache_control: mark })), {
          type: "text",
          text: "y",
        }),
      ),
      cache_control: mark,
    },
    /A maximum of 4 blocks with cache_control may be provided. Found 5/,
  ],
  [
    "a mark on thinking",
    messages(hello, reply({ ...thought, cache_control: mark }, { type: "text", text: "a" }), hello),
    /thinking\.cache_control: Extra inputs are not permitted/,
  ],
  [
    "a long mark after a short one",
    messages(
      user(
        { type: "text", text: "x", cache_control: mark },
        { type: "text", text: "y", cache_control: { ...mark, ttl: "1h" } },
      ),
    ),
    /ttl='1h' cache_control block must not come after a ttl='5m'/,
  ],
  [
    "a mark of another kind",
    messages(user({ type: "text", text: "x", cache_control: { type: "persistent" } })),
    /cache_control: Input tag 'persistent'/,
  ],
  ["half of a surrogate pair", messages(user({ type: "text", text: "\ud83d" })), /not valid JSON: no low surrogate/],
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test("KIT2 accepts a request with every kind of field", async () => {
  expect(await ask(validBody)).toMatchObject({ status: 200 });
});

test.each([
  [
    "a later reply of a loop without thinking",
    messages(hello, reply(thought, call("a")), user(result("a")), reply(call("b")), user(result("b"))),
  ],
  [
    "an earlier turn without thinking",
    messages(hello, reply(call("a")), user(result("a")), reply({ type: "text", text: "so" }), hello),
  ],
  [
    "a loop without thinking, of a model that decides for itself",
    { ...messages(hello, reply(call("a")), user(result("a"))), model: "claude-opus-4-6" },
  ],
  [
    "a loop without thinking, where thinking is adaptive",
    { ...messages(hello, reply(call("a")), user(result("a"))), thinking: { type: "adaptive" } },
  ],
  ["a mark of the request", { ...validBody, cache_control: mark }],
])("KIT2 accepts %s", async (_, body) => {
  expect(await ask(body)).toMatchObject({ status: 200 });
});

test.each(refusals)("KIT2 %s is refused", async (_, body, message) => {
  const { status, kind, ...rest } = await ask(body);
  expect(rest.message).toMatch(message);
  expect({ status, kind }).toEqual({ status: 400, kind: "invalid_request_error" });
});

test("KIT2 refuses a request without a key, without a version or with too many bytes", async () => {
  const path = `${server.url}/v1/messages`;
  expect(await postJson(path, validBody, { "anthropic-version": "2023-06-01" })).toMatchObject({
    status: 401,
    kind: "authentication_error",
  });
  expect(await postJson(path, validBody, { "x-api-key": "k" })).toMatchObject({
    status: 400,
    message: "anthropic-version: header is required",
  });
  const long = { ...validBody, system: "x".repeat(33 * 1024 * 1024) };
  expect(await ask(long)).toMatchObject({ status: 413, kind: "request_too_large" });
  expect(await ask('{"model":')).toMatchObject({ status: 400, kind: "invalid_request_error" });
});

test.each([
  ["a changed word", { ...thought, thinking: "let me  see" }],
  ["no signature", { type: "thinking", thinking: "let me see" }],
  ["an empty signature", { ...thought, signature: "" }],
  ["the signature of another model", { ...thought, signature: createSignature("claude-opus-4-1", "let me see") }],
])("KIT3 thinking with %s is refused", async (_, block) => {
  const { status, message } = await ask(messages(hello, reply(block, { type: "text", text: "a" }), hello));
  expect({ status, message }).toEqual({
    status: 400,
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  });
});

test.each([
  ["changed bytes", { ...redactedThought, data: `${redactedThought.data.slice(0, -8)}AAAAAAAA` }],
  ["another model's bytes", { ...redactedThought, data: sealText("claude-opus-4-1", "hidden") }],
  ["nothing in it", { type: "redacted_thinking" }],
])("KIT3 redacted thinking with %s is refused", async (_, block) => {
  const { status, message } = await ask(messages(hello, reply(block, { type: "text", text: "a" }), hello));
  expect({ status, message }).toEqual({
    status: 400,
    message: "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  });
});

function ask(body: unknown): Promise<PostResult> {
  return postJson(`${server.url}/v1/messages`, body, { "x-api-key": "k", "anthropic-version": "2023-06-01" });
}

function messages(...messages: readonly object[]): Body {
  return { ...validBody, system: undefined, messages };
}

function user(...content: readonly object[]): Body {
  return { role: "user", content };
}

function reply(...content: readonly object[]): Body {
  return { role: "assistant", content };
}

function call(id: string): Body {
  return { type: "tool_use", id, name: "read", input: { path: "a" } };
}

function result(id: string, content: unknown = "ok"): Body {
  return { type: "tool_result", tool_use_id: id, content };
}
