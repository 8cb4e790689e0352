/** A session talks to one provider, goes on with another, and is told in plain words when it was too much. No key needed: a scripted server stands in for both. */

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
const called = await ask(claude.model);
assert.ok(called.type === "reply-ended");
console.log(called.message.content);
const [, call] = called.message.content;
assert.ok(call?.type === "toolCall");
await session.append(
  { type: "message", message: called.message },
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

// … and GPT goes on from its result, over another protocol. What it cost stands in the message.
const told = await ask(gpt.model);
assert.ok(told.type === "reply-ended");
console.log(told.message.content, told.message.usage);
await session.append({ type: "message", message: told.message });

// A provider's own words for "too long" are one kind of failure, whoever says it and however.
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
  const request = buildRequest(buildSessionContext(session.branch), { model: model, thinking: "medium" });
  for await (const event of model.stream(request, {})) {
    if (event.type === "reply-ended" || event.type === "reply-failed") return event;
  }
  throw new Error("every stream ends in one of the two");
}
