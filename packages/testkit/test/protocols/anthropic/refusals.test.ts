/** Requests that Anthropic refuses, each beside one that it takes, and what it says. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { createSignature, sealText } from "../../../src/protocols/signature.ts";
import { type PostResult, postJson } from "../../server/post-json.ts";

type Body = Readonly<Record<string, unknown>>;

const model = "claude-sonnet-4-5";
const mark = { type: "ephemeral" };
const hello = user({ type: "text", text: "hello" });
const thought = { type: "thinking", thinking: "let me see", signature: createSignature(model, "let me see") };
const hidden = { type: "redacted_thinking", data: sealText(model, "hidden") };
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const schema = { type: "object", properties: {} };

/** Everything at once that may stand in a request. */
const good: Body = {
  model,
  max_tokens: 4096,
  stream: true,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [{ name: "read", description: "Reads.", input_schema: schema }],
  tool_choice: { type: "auto" },
  thinking: { type: "enabled", budget_tokens: 1024 },
  messages: [
    hello,
    reply(thought, hidden, { type: "text", text: "I look." }, call("a"), call("b")),
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
    { ...good, max_completion_tokens: 3 },
    /^max_completion_tokens: Extra inputs are not permitted/,
  ],
  ["a strange name in a message", talk({ ...hello, id: "m1" }), /^messages\.0\.id: Extra inputs are not permitted/],
  [
    "a strange name in a block",
    talk(user({ type: "text", text: "x", thoughtSignature: "y" })),
    /^messages\.0\.content\.0\.text\.thoughtSignature: Extra inputs/,
  ],
  [
    "a strange name in a result",
    talk(hello, reply(thought, call("a")), user({ ...result("a"), name: "read" })),
    /^messages\.2\.content\.0\.tool_result\.name: Extra inputs/,
  ],
  ["a temperature of two", { ...good, temperature: 2 }, /^temperature: Input should be between 0 and 1/],
  ["a temperature of null", { ...good, temperature: null }, /^temperature: Input should be a valid number/],
  ["a stream that is a text", { ...good, stream: "yes" }, /^stream: Input should be a valid boolean/],
  ["tools that are no list", { ...good, tools: {} }, /^tools: Input should be a valid list/],
  [
    "a stop sequence of white space",
    { ...good, stop_sequences: ["END", " \n"] },
    /^stop_sequences\.1: each stop sequence must contain non-whitespace/,
  ],
  [
    "thinking without a budget",
    { ...good, thinking: { type: "enabled" } },
    /^thinking\.enabled\.budget_tokens: Field required/,
  ],
  ["top_k while it thinks", { ...good, top_k: 5 }, /^`top_k` must be unset when thinking is enabled/],
  [
    "a reply to go on from that ends in white space",
    { ...talk(hello, reply({ type: "text", text: "I think " })), thinking: undefined },
    /^messages: final assistant content cannot end with trailing whitespace/,
  ],
  ["no model", { ...good, model: "" }, /^model: Field required/],
  ["no room for a reply", { ...good, max_tokens: 0 }, /^max_tokens: .*greater than or equal to 1/],
  ["no messages", talk(), /at least one message is required/],
  ["a reply first", talk(reply({ type: "text", text: "hi" }), hello), /first message must use the "user" role/],
  [
    "a role of others",
    talk(hello, { role: "tool", content: "x" }),
    /messages\.1\.role: Input should be 'user' or 'assistant'/,
  ],
  ["a message without blocks", talk(user()), /messages\.0: all messages must have non-empty content/],
  ["an empty text", talk(user({ type: "text", text: "" })), /text content blocks must be non-empty/],
  ["a text of white space", talk(user({ type: "text", text: " \n" })), /must contain non-whitespace text/],
  [
    "an empty system text",
    { ...good, system: [{ type: "text", text: "" }] },
    /system: text content blocks must be non-empty/,
  ],
  [
    "a block of others",
    talk(user({ type: "input_text", text: "x" })),
    /messages\.0\.content\.0: Input tag 'input_text'/,
  ],
  [
    "a block of a kind that every object has",
    talk(user({ type: "constructor", text: "x" })),
    /messages\.0\.content\.0: Input tag 'constructor'/,
  ],
  [
    "a call without a result",
    talk(hello, reply(call("a")), hello),
    /`tool_use` ids were found without `tool_result` blocks immediately after: a/,
  ],
  ["a call at the end", talk(hello, reply(call("a"))), /without `tool_result` blocks immediately after: a/],
  ["one of two results", talk(hello, reply(call("a"), call("b")), user(result("a"))), /immediately after: b/],
  ["a result without a call", talk(user(result("z"))), /unexpected `tool_use_id` found in `tool_result` blocks: z/],
  [
    "a result too late",
    talk(hello, reply(call("a")), user(result("a")), reply({ type: "text", text: "ok" }), user(result("a"))),
    /unexpected `tool_use_id`.*: a/,
  ],
  [
    "a result twice",
    talk(hello, reply(call("a")), user(result("a"), result("a"))),
    /each tool_use must have a single result/,
  ],
  [
    "words before a result",
    talk(hello, reply(call("a")), user({ type: "text", text: "so" }, result("a"))),
    /`tool_result` blocks must come before/,
  ],
  [
    "an id twice",
    talk(hello, reply(call("a"), call("a")), user(result("a"))),
    /`tool_use` ids must be unique|ids must be unique/,
  ],
  [
    "an id with a bar",
    talk(hello, reply(call("call|fc_1")), user(result("call|fc_1"))),
    /tool_use\.id: String should match pattern/,
  ],
  [
    "arguments that are a text",
    talk(hello, reply({ ...call("a"), input: "{}" }), user(result("a"))),
    /tool_use\.input: Input should be a valid dictionary/,
  ],
  [
    "thinking at the end of a reply",
    talk(hello, reply({ type: "text", text: "a" }, thought), hello),
    /final block in an assistant message cannot be `thinking`/,
  ],
  [
    "a turn that went on without its thinking",
    talk(hello, reply(call("a")), user(result("a"))),
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  [
    "a loop of calls that began without thinking",
    talk(hello, reply(call("a")), user(result("a")), reply(thought, call("b")), user(result("b"))),
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  [
    "a picture of another kind",
    talk(user({ ...picture, source: { ...picture.source, media_type: "image/bmp" } })),
    /image\.source\.base64: media type image\/bmp/,
  ],
  [
    "a picture that is no base64",
    talk(user({ ...picture, source: { ...picture.source, data: "data:image/png;base64,AA" } })),
    /image\.source\.base64: no base64/,
  ],
  [
    "a picture of six megabytes",
    talk(user({ ...picture, source: { ...picture.source, data: "A".repeat(8_000_000) } })),
    /image exceeds 5 MB maximum/,
  ],
  [
    "a tool name with a dot",
    { ...good, tools: [{ name: "fs.read", input_schema: schema }] },
    /tools\.0\.custom\.name: String should match pattern/,
  ],
  [
    "a tool twice",
    {
      ...good,
      tools: [
        { name: "read", input_schema: schema },
        { name: "read", input_schema: schema },
      ],
    },
    /Tool names must be unique/,
  ],
  ["a tool without a schema", { ...good, tools: [{ name: "read" }] }, /tools\.0\.custom\.input_schema: Field required/],
  [
    "a schema that is no object",
    { ...good, tools: [{ name: "read", input_schema: { type: "string" } }] },
    /input_schema\.type: Input should be 'object'/,
  ],
  [
    "a forced tool that is not there",
    { ...good, thinking: undefined, tool_choice: { type: "tool", name: "write" } },
    /Tool 'write' not found/,
  ],
  [
    "a forced tool while it thinks",
    { ...good, tool_choice: { type: "any" } },
    /Thinking may not be enabled when tool_choice forces tool use/,
  ],
  [
    "too little room to think",
    { ...good, thinking: { type: "enabled", budget_tokens: 100 } },
    /budget_tokens: Input should be greater than or equal to 1024/,
  ],
  [
    "more thinking than reply",
    { ...good, thinking: { type: "enabled", budget_tokens: 4096 } },
    /`max_tokens` must be greater than `thinking.budget_tokens`/,
  ],
  ["a temperature while it thinks", { ...good, temperature: 0 }, /`temperature` may only be set to 1/],
  [
    "five cache marks",
    talk(user(...Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: mark })))),
    /A maximum of 4 blocks with cache_control may be provided. Found 5/,
  ],
  [
    "four cache marks and one of the request",
    {
      ...talk(
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
    talk(hello, reply({ ...thought, cache_control: mark }, { type: "text", text: "a" }), hello),
    /thinking\.cache_control: Extra inputs are not permitted/,
  ],
  [
    "a long mark after a short one",
    talk(
      user(
        { type: "text", text: "x", cache_control: mark },
        { type: "text", text: "y", cache_control: { ...mark, ttl: "1h" } },
      ),
    ),
    /ttl='1h' cache_control block must not come after a ttl='5m'/,
  ],
  [
    "a mark of another kind",
    talk(user({ type: "text", text: "x", cache_control: { type: "persistent" } })),
    /cache_control: Input tag 'persistent'/,
  ],
  ["half of a surrogate pair", talk(user({ type: "text", text: "\ud83d" })), /not valid JSON: no low surrogate/],
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test("KIT2 a request with everything in it is accepted", async () => {
  expect(await ask(good)).toMatchObject({ status: 200 });
});

test.each([
  [
    "a later reply of a loop without thinking",
    talk(hello, reply(thought, call("a")), user(result("a")), reply(call("b")), user(result("b"))),
  ],
  [
    "an earlier turn without thinking",
    talk(hello, reply(call("a")), user(result("a")), reply({ type: "text", text: "so" }), hello),
  ],
  [
    "a loop without thinking, of a model that decides for itself",
    { ...talk(hello, reply(call("a")), user(result("a"))), model: "claude-opus-4-6" },
  ],
  [
    "a loop without thinking, where thinking is adaptive",
    { ...talk(hello, reply(call("a")), user(result("a"))), thinking: { type: "adaptive" } },
  ],
  ["a mark of the request", { ...good, cache_control: mark }],
])("KIT2 %s is taken", async (_, body) => {
  expect(await ask(body)).toMatchObject({ status: 200 });
});

test.each(refusals)("KIT2 %s is refused by name", async (_, body, message) => {
  const { status, kind, ...rest } = await ask(body);
  expect(rest.message).toMatch(message);
  expect({ status, kind }).toEqual({ status: 400, kind: "invalid_request_error" });
});

test("KIT2 a request without a key, without a version or with too many bytes is refused", async () => {
  const path = `${server.url}/v1/messages`;
  expect(await postJson(path, good, { "anthropic-version": "2023-06-01" })).toMatchObject({
    status: 401,
    kind: "authentication_error",
  });
  expect(await postJson(path, good, { "x-api-key": "k" })).toMatchObject({
    status: 400,
    message: "anthropic-version: header is required",
  });
  const long = { ...good, system: "x".repeat(33 * 1024 * 1024) };
  expect(await ask(long)).toMatchObject({ status: 413, kind: "request_too_large" });
  expect(await ask('{"model":')).toMatchObject({ status: 400, kind: "invalid_request_error" });
});

test.each([
  ["a changed word", { ...thought, thinking: "let me  see" }],
  ["no signature", { type: "thinking", thinking: "let me see" }],
  ["an empty signature", { ...thought, signature: "" }],
  ["the signature of another model", { ...thought, signature: createSignature("claude-opus-4-1", "let me see") }],
])("KIT3 thinking with %s is refused", async (_, block) => {
  const { status, message } = await ask(talk(hello, reply(block, { type: "text", text: "a" }), hello));
  expect({ status, message }).toEqual({
    status: 400,
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  });
});

test.each([
  ["changed bytes", { ...hidden, data: `${hidden.data.slice(0, -8)}AAAAAAAA` }],
  ["another model's bytes", { ...hidden, data: sealText("claude-opus-4-1", "hidden") }],
  ["nothing in it", { type: "redacted_thinking" }],
])("KIT3 redacted thinking with %s is refused", async (_, block) => {
  const { status, message } = await ask(talk(hello, reply(block, { type: "text", text: "a" }), hello));
  expect({ status, message }).toEqual({
    status: 400,
    message: "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  });
});

function ask(body: unknown): Promise<PostResult> {
  return postJson(`${server.url}/v1/messages`, body, { "x-api-key": "k", "anthropic-version": "2023-06-01" });
}

function talk(...messages: readonly object[]): Body {
  return { ...good, system: undefined, messages };
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
