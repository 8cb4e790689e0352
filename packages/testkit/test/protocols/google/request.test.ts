/** Tests Google's fields in snake_case: accepted, normalized, and logged as they were sent. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScriptRequest, startServer, type TestServer } from "../../../src/index.ts";
import { normalizeBody } from "../../../src/protocols/google/google.ts";
import { callSignature } from "../../../src/protocols/google/reply.ts";
import { type PostResult, postJson } from "../../support/requests.ts";

const model = "gemini-3-pro-preview";
const args = { file_path: "a", inline_data: 1 };

const withBars = {
  system_instruction: { parts: [{ text: "Be brief." }] },
  generation_config: { max_output_tokens: 100, thinking_config: { include_thoughts: true, thinking_level: "high" } },
  tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["read"] } },
  tools: [
    {
      function_declarations: [
        {
          name: "read",
          parameters: {
            type: "object",
            properties: { any_of: { type: "string", min_length: 1 } },
            required: ["any_of"],
          },
        },
      ],
    },
  ],
  contents: [
    { role: "user", parts: [{ text: "hi" }, { inline_data: { mime_type: "image/png", data: "iVBORw0KGgo=" } }] },
    {
      role: "model",
      parts: [
        { function_call: { id: "1", name: "read", args }, thought_signature: callSignature(model, "read", args) },
      ],
    },
    { role: "user", parts: [{ function_response: { id: "1", name: "read", response: { mime_type: "x" } } }] },
  ],
};

let scriptRequests: ScriptRequest[];
let server: TestServer;
beforeEach(async () => {
  scriptRequests = [];
  server = await startServer({
    script: (each) => {
      scriptRequests.push(each);
      return "fine";
    },
  });
});
afterEach(() => server.close());

test("KIT2 Google accepts both spellings of its fields, and the script gets camelCase", async () => {
  expect((await ask(withBars)).message).toBe("undefined");
  expect(scriptRequests[0]).toMatchObject({ tools: ["read"], resultCount: 1, text: "hi" });
  expect(scriptRequests[0]?.body).toMatchObject({ generationConfig: { maxOutputTokens: 100 } });
});

test("KIT6 the log keeps the spelling of the request", async () => {
  await ask(withBars);
  expect(server.requests[0]?.body).toEqual(withBars);
});

test("KIT2 does not rename keys that the user chose", () => {
  const { contents, tools } = normalizeBody(withBars);
  expect(contents).toMatchObject([
    {},
    { parts: [{ functionCall: { args } }] },
    { parts: [{ functionResponse: { response: { mime_type: "x" } } }] },
  ]);
  expect(tools).toMatchObject([
    { functionDeclarations: [{ parameters: { properties: { any_of: { minLength: 1 } } } }] },
  ]);
});

test("KIT2 refuses invalid fields in both spellings", async () => {
  const tool_config = { function_calling_config: { mode: "ANY", allowed_function_names: ["write"] } };
  expect((await ask({ ...withBars, tool_config })).message).toContain("function 'write' is not declared");
  expect((await ask({ ...withBars, max_tokens: 3 })).message).toContain('Unknown name "max_tokens"');
});

function ask(body: object): Promise<PostResult> {
  return postJson(`${server.url}/v1beta/models/${model}:generateContent?key=k`, body);
}
