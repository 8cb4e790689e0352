/** Runs one session with two providers and shows an overflow error. Needs no API key: a scripted server replaces both providers. */

import assert from "node:assert/strict";
import { buildRequest, buildSessionContext, MemoryStore, type Model, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { startServer } from "@pith/testkit";

const server = await startServer({
  script: [
    {
      parts: [
        { type: "thinking", text: "I should look first." },
        { type: "call", name: "read", arguments: { path: "src/login.ts" } },
      ],
    },
    "The cookie has no SameSite attribute.",
    {
      refuse: {
        status: 400,
        type: "invalid_request_error",
        code: "context_length_exceeded",
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      },
    },
  ],
});

// #region acts
const claude = await openModel({
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  apiKey: "any",
  baseUrl: `${server.url}/v1`,
});
const gpt = await openModel({ provider: "openai", model: "gpt-5", apiKey: "any", baseUrl: `${server.url}/v1` });
// #endregion
assert.ok(claude.type === "opened" && gpt.type === "opened");

const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
const read = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};
await session.append(
  { type: "message", message: { role: "system", content: "You fix bugs.", toolsAdded: [read], timestamp: 0 } },
  { type: "message", message: { role: "user", content: "The login fails on Safari.", timestamp: 0 } },
);

// Claude thinks and calls a tool …
const reply = await ask(claude.model);
assert.ok(reply.type === "reply-ended");
console.log(reply.message.content);
const [, call] = reply.message.content;
assert.ok(call?.type === "toolCall");
await session.append(
  { type: "message", message: reply.message },
  {
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: call.id,
      toolName: call.name,
      content: [{ type: "text", text: 'setCookie("session", id)' }],
      isError: false,
      timestamp: 0,
    },
  },
);

// … and GPT continues from its result, over another protocol. The message has the usage and cost.
const answer = await ask(gpt.model);
assert.ok(answer.type === "reply-ended");
console.log(answer.message.content, answer.message.usage);
await session.append({ type: "message", message: answer.message });

// Every provider's error for a context that is too long has the same failure kind.
const tooLong = await ask(claude.model);
assert.ok(tooLong.type === "reply-failed");
console.log(tooLong.failure);
assert.deepEqual(
  { kind: tooLong.failure.kind, limit: tooLong.failure.limit, window: claude.window() },
  { kind: "overflow", limit: 128_000, window: { tokens: 128_000, source: "learned" } },
);
assert.deepEqual(
  server.requests.map(({ outcome }) => outcome),
  ["said", "said", "scripted"],
);
await server.close();

async function ask(model: Model) {
  const request = buildRequest(buildSessionContext(session.branch), { model, thinking: "medium" });
  for await (const event of model.stream(request, {})) {
    if (event.type === "reply-ended" || event.type === "reply-failed") return event;
  }
  throw new Error("the stream ended without reply-ended or reply-failed");
}
