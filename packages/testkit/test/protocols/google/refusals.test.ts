/** Tests requests that Google refuses. Each differs from a valid request by one fault. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../src/index.ts";
import { callSignature, textSignature } from "../../../src/protocols/google/reply.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

type Body = Readonly<Record<string, unknown>>;

const model = "gemini-3-pro-preview";
const hello = user({ text: "hello" });
const signedCall = { ...call("read"), thoughtSignature: callSignature(model, "read", { path: "a" }) };
const signedReply = reply(
  { text: "I " },
  { text: "know." },
  { text: "", thoughtSignature: textSignature(model, "I know.") },
);
const picture = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
const parameters = { type: "OBJECT", properties: { path: { type: "string" } }, required: ["path"] };

/** A valid request with every kind of field. */
const validBody: Body = {
  contents: [
    user({ text: "hello" }, picture),
    signedReply,
    user({ text: "and?" }),
    reply({ text: "hm", thought: true }, { text: "I look." }, signedCall, call("write", "b")),
    user(answer("read"), answer("write", "b")),
  ],
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [
    {
      functionDeclarations: [
        { name: "read", description: "Reads.", parameters },
        { name: "write", parametersJsonSchema: { type: "object", additionalProperties: false } },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  generationConfig: {
    maxOutputTokens: 100,
    temperature: 1,
    thinkingConfig: { includeThoughts: true, thinkingLevel: "high" },
  },
};

const refusals: readonly (readonly [string, Body, RegExp])[] = [
  ["a name it does not know", { ...validBody, max_tokens: 3 }, /Unknown name "max_tokens": Cannot find field\./],
  [
    "an unknown name in a part",
    contents(user({ text: "x", cache_control: {} })),
    /Unknown name "cache_control" at 'contents\[0\]\.parts\[0\]': Cannot find field/,
  ],
  [
    "an unknown setting",
    { ...validBody, generationConfig: { max_tokens: 1 } },
    /Unknown name "max_tokens" at 'generation_config'/,
  ],
  ["no contents", contents(), /contents: contents is not specified/],
  [
    "a role of others",
    contents(hello, { role: "assistant", parts: [{ text: "x" }] }),
    /Please use a valid role: user, model\./,
  ],
  ["a turn without parts", contents(hello, reply(), hello), /contents\[1\]\.parts: contents\.parts must not be empty/],
  [
    "a part without data",
    contents(user({ thought: true })),
    /contents\[0\]\.parts\[0\]\.data: required oneof field 'data'/,
  ],
  [
    "an empty text",
    contents(user({ text: "" })),
    /parts\[0\]\.data: required oneof field 'data' must have one initialized field/,
  ],
  [
    "two kinds of data",
    contents(user({ text: "x", ...picture })),
    /oneof field 'data' is already set\. Cannot set 'inlineData'/,
  ],
  [
    "a call that opens the talk",
    contents(reply(signedCall), user(answer("read"))),
    /function call turn comes immediately after a user turn or after a function response turn/,
  ],
  [
    "a call after a reply",
    contents(hello, reply({ text: "a" }), reply(signedCall), user(answer("read"))),
    /function call turn comes immediately after a user turn/,
  ],
  [
    "one of two results",
    contents(hello, reply(signedCall, call("write")), user(answer("read"))),
    /number of function response parts is equal to the number of function call parts/,
  ],
  ["a call without a result", contents(hello, reply(signedCall), hello), /number of function response parts is equal/],
  ["a call at the end", contents(hello, reply(signedCall)), /number of function response parts is equal/],
  [
    "a result twice",
    contents(hello, reply(signedCall), user(answer("read"), answer("read"))),
    /number of function response parts is equal/,
  ],
  [
    "a result without a call",
    contents(user(answer("read"))),
    /function response turn comes immediately after a function call turn/,
  ],
  ["a result under another name", contents(hello, reply(signedCall), user(answer("raed"))), /'raed' was not called/],
  [
    "a result with another id",
    contents(
      hello,
      reply({ ...signedCall, functionCall: { ...signedCall.functionCall, id: "a" } }),
      user(answer("read", "b")),
    ),
    /'read' with id 'b' was not called/,
  ],
  ["a call of the user", contents(user(call("read")), user(answer("read"))), /function call turn has the role model/],
  [
    "arguments that are a text",
    contents(hello, reply({ functionCall: { name: "read", args: "{}" } }), user(answer("read"))),
    /function_call\.args' \(type\.googleapis\.com\/google\.protobuf\.Struct\)/,
  ],
  [
    "a result that is a text",
    contents(hello, reply(signedCall), user({ functionResponse: { name: "read", response: "ok" } })),
    /function_response\.response' \(type/,
  ],
  [
    "a result without a name",
    contents(hello, reply(signedCall), user({ functionResponse: { response: {} } })),
    /function_response\.name: Name cannot be empty/,
  ],
  [
    "an animated image",
    contents(user({ inlineData: { mimeType: "image/gif", data: "R0lGODlh" } })),
    /Unsupported MIME type: image\/gif/,
  ],
  [
    "an image that is not base64",
    contents(user({ inlineData: { mimeType: "image/png", data: "data:;base64,AA" } })),
    /inline_data\.data' \(TYPE_BYTES\), Base64 decoding failed/,
  ],
  [
    "a tool name that begins with a digit",
    withFunctions({ name: "21st" }),
    /function_declarations\[0\]\.name: Invalid function name\. Must start with a letter/,
  ],
  ["a tool name of 65 letters", withFunctions({ name: "a".repeat(65) }), /Invalid function name.*maximum length of 64/],
  ["a tool twice", withFunctions({ name: "read" }, { name: "read" }), /Duplicate function declaration found: read/],
  [
    "a schema with a name of JSON schema",
    withFunctions({ name: "read", parameters: { ...parameters, additionalProperties: false } }),
    /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations\[0\]\.parameters'/,
  ],
  [
    "a constant deep in a schema",
    withFunctions({ name: "read", parameters: { type: "object", properties: { a: { anyOf: [{ const: 1 }] } } } }),
    /Unknown name "const" at '.*properties\[0\]\.value\.any_of\[0\]'/,
  ],
  [
    "a list of types",
    withFunctions({ name: "read", parameters: { type: "object", properties: { a: { type: ["string", "null"] } } } }),
    /Unknown name "type" at .*Proto field is not repeating/,
  ],
  [
    "a needed property that is not there",
    withFunctions({ name: "read", parameters: { type: "object", properties: {}, required: ["path"] } }),
    /required\[0\]: property is not defined/,
  ],
  [
    "a list without items",
    withFunctions({ name: "read", parameters: { type: "object", properties: { a: { type: "array" } } } }),
    /properties\[0\]\.value\.items: missing field/,
  ],
  [
    "an empty system text",
    { ...validBody, systemInstruction: { parts: [{ text: "" }] } },
    /system_instruction\.parts\[0\]\.data: required oneof/,
  ],
  [
    "a system prompt that is a string",
    { ...validBody, systemInstruction: "Be brief." },
    /Invalid value at 'system_instruction'/,
  ],
  [
    "a forced tool that is not there",
    withToolChoice({ mode: "ANY", allowedFunctionNames: ["delete"] }),
    /function 'delete' is not declared/,
  ],
  [
    "allowed tools that are not forced",
    withToolChoice({ mode: "AUTO", allowedFunctionNames: ["read"] }),
    /should be set only when function calling mode is ANY/,
  ],
  ["a choice of others", withToolChoice({ mode: "required" }), /function_calling_config\.mode'.*"required"/],
  [
    "no room for a reply",
    { ...validBody, generationConfig: { maxOutputTokens: 0 } },
    /max_output_tokens must be positive/,
  ],
  [
    "a temperature of three",
    { ...validBody, generationConfig: { temperature: 3 } },
    /temperature must be in the range \[0\.0, 2\.0\]/,
  ],
  [
    "a budget and a level",
    { ...validBody, generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } } },
    /only one of thinking budget and thinking level/,
  ],
  ["half of a surrogate pair", contents(user({ text: "\ud83d" })), /Missing low surrogate/],
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

test("KIT2 accepts a request with every kind of field, with its key in the header or in the URL", async () => {
  expect(await ask(validBody)).toMatchObject({ status: 200 });
  expect(await postJson(`${server.url}/v1beta/models/${model}:generateContent?key=k`, validBody)).toMatchObject({
    status: 200,
  });
});

test.each(refusals)("KIT2 %s is refused", async (_, body, message) => {
  const { status, kind, ...rest } = await ask(body);
  expect(rest.message).toMatch(message);
  expect({ status, kind }).toEqual({ status: 400, kind: "INVALID_ARGUMENT" });
});

test("KIT2 refuses a request without a key or with too many bytes", async () => {
  const path = `${server.url}/v1beta/models/${model}:generateContent`;
  expect(await postJson(path, validBody)).toMatchObject({ status: 403, kind: "PERMISSION_DENIED" });
  const long = await ask({ ...validBody, systemInstruction: { parts: [{ text: "x".repeat(21 * 1024 * 1024) }] } });
  expect(long).toMatchObject({ status: 400, message: expect.stringMatching(/Request payload size exceeds the limit/) });
  expect(await ask('{"contents":')).toMatchObject({ status: 400, kind: "INVALID_ARGUMENT" });
});

test("KIT2 a model of another vendor needs an id on every call", async () => {
  const requestBody = contents(hello, reply(call("read")), user(answer("read")));
  expect(await ask(requestBody, "claude-sonnet-4-5")).toMatchObject({
    status: 400,
    message: expect.stringMatching(/id: Field required/),
  });
  expect(await ask(requestBody, "gemini-2.5-pro")).toMatchObject({ status: 200 });
});

test("KIT3 the first call of the current turn needs its signature; calls of earlier turns do not", async () => {
  const bare = [hello, reply(call("read"), call("write")), user(answer("read"), answer("write"))];
  expect(await ask(contents(...bare))).toMatchObject({
    status: 400,
    message: expect.stringMatching(
      /missing a thought_signature in functionCall parts.*`default_api:read` , position 2/,
    ),
  });
  expect(await ask(contents(...bare, reply({ text: "so" }), hello))).toMatchObject({ status: 200 });
  expect(await ask(contents(...bare), "gemini-2.5-flash")).toMatchObject({ status: 200 });
  expect(
    await ask(
      contents(
        hello,
        reply({ ...call("read"), thoughtSignature: "skip_thought_signature_validator" }),
        user(answer("read")),
      ),
    ),
  ).toMatchObject({ status: 200 });
});

test.each([
  [
    "a call with other arguments",
    reply({ ...signedCall, functionCall: { name: "read", args: { path: "b" } } }),
    user(answer("read")),
  ],
  [
    "a call with a foreign signature",
    reply({ ...signedCall, thoughtSignature: callSignature("gemini-2.5-pro", "read", { path: "a" }) }),
    user(answer("read")),
  ],
  ["a changed text", reply({ text: "I knew.", thoughtSignature: textSignature(model, "I know.") }), hello],
  ["a thought that was given a signature", reply({ text: "hm", thought: true, thoughtSignature: "AAAA" }), hello],
])("KIT3 %s is refused as corrupted", async (_, ...turns) => {
  expect(await ask(contents(hello, ...turns))).toMatchObject({ status: 400, message: "Corrupted thought signature." });
});

function ask(body: unknown, requestModel: string = model): Promise<PostResult> {
  return postJson(`${server.url}/v1beta/models/${requestModel}:streamGenerateContent?alt=sse`, body, {
    "x-goog-api-key": "k",
  });
}

function contents(...contents: readonly object[]): Body {
  return { ...validBody, contents };
}

function withFunctions(...functionDeclarations: readonly object[]): Body {
  return { contents: [hello], tools: [{ functionDeclarations }] };
}

function withToolChoice(functionCallingConfig: object): Body {
  return { ...validBody, toolConfig: { functionCallingConfig } };
}

function user(...parts: readonly object[]): Body {
  return { role: "user", parts };
}

function reply(...parts: readonly object[]): Body {
  return { role: "model", parts };
}

function call(name: string, id?: string): { readonly functionCall: Body } {
  return { functionCall: { name, args: { path: "a" }, ...(id && { id }) } };
}

function answer(name: string, id?: string): Body {
  return { functionResponse: { name, response: { output: "ok" }, ...(id && { id }) } };
}
