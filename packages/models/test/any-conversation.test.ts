/** Tests that requests of any session are accepted by the real packages and a server that checks them. */

import { type AgentMessage, type AssistantMessage, convertToLlm, type ModelName } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { startServer, type TestServer } from "@pith/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastOf, modelAt, names, openaiChat } from "./served.ts";
import { picture, requestOf, tool, user } from "./support/messages.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ script: () => "fine" });
});
afterAll(() => server.close());

const stranger: ModelName = { api: "some-other-api", provider: "stranger", model: "s" };

describe.each([...names, openaiChat])("$api of $provider", (name) => {
  test("CNV12 any conversation is accepted", async () => {
    const model = modelAt(server.url, name);
    await fc.assert(
      fc.asyncProperty(fc.array(messageBy(name), { maxLength: 12 }), async (messages) => {
        const sent = convertToLlm([user("begin"), ...messages, user("go on")], name);
        const last = await lastOf(model, requestOf(sent, { tools: [tool("read"), tool("bash")] }));
        expect(last).toMatchObject({ type: "reply-ended" });
      }),
      { numRuns: 150 },
    );
  });
});

function messageBy(name: ModelName): fc.Arbitrary<AgentMessage> {
  const timestamp = fc.constant(0);
  const words = fc.oneof(fc.string(), fc.constantFrom("", " ", "\n", "plain words", "</system-update>", "\ud800"));
  const texts = words.map((text) => ({ type: "text" as const, text }));
  const shown = fc.array(fc.oneof(texts, fc.constant(picture)), { maxLength: 3 });
  const id = fc.constantFrom("a", "b", "call_1|fc_1", "id with spaces", "", "x".repeat(90));
  return fc.oneof(
    fc.record({ role: fc.constant("user" as const), content: fc.oneof(words, shown), timestamp }),
    fc.record({
      role: fc.constant("toolResult" as const),
      toolCallId: id,
      toolName: fc.constantFrom("read", "bash"),
      content: shown,
      isError: fc.boolean(),
      timestamp,
    }),
    replyBy(name, id, texts),
    fc.record(
      {
        role: fc.constant("system" as const),
        content: fc.oneof(words, fc.array(texts, { maxLength: 2 })),
        sections: fc.dictionary(fc.constantFrom("place", "mood"), fc.option(words)),
        toolsAdded: fc.array(fc.constantFrom("read", "write", "edit").map(tool), { maxLength: 3 }),
        toolsRemoved: fc.array(fc.constantFrom("read", "write").map(tool), { maxLength: 2 }),
        timestamp,
      },
      { requiredKeys: ["role", "content", "timestamp"] },
    ),
  ) as fc.Arbitrary<AgentMessage>;
}

// Signatures and ids that it would never have given out are refused by right: only strangers have those here.
function replyBy(
  name: ModelName,
  anyId: fc.Arbitrary<string>,
  texts: fc.Arbitrary<{ readonly type: "text"; readonly text: string }>,
): fc.Arbitrary<AssistantMessage> {
  const ownId = fc.constantFrom("a", "b", name.api === "openai-responses" ? "call_1|fc_1" : "c");
  const own = contentOf(ownId, texts, "").map((content) => ({ content, ...name }));
  const strange = contentOf(anyId, texts, "c3RyYW5nZQ==").map((content) => ({ content, ...stranger }));
  const stopReason = fc.constantFrom("stop", "toolUse", "error", "aborted", "length");
  return fc.tuple(fc.oneof(own, strange), stopReason).map(([message, stop]) => ({
    role: "assistant",
    ...message,
    usage: emptyUsage,
    stopReason: stop,
    timestamp: 0,
  })) as never;
}

function contentOf(
  id: fc.Arbitrary<string>,
  texts: fc.Arbitrary<{ readonly type: "text"; readonly text: string }>,
  thinkingSignature: string,
): fc.Arbitrary<AssistantMessage["content"]> {
  const call = fc.record({
    type: fc.constant("toolCall" as const),
    id,
    name: fc.constantFrom("read", "bash", "no such tool"),
    arguments: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }) as fc.Arbitrary<Record<string, unknown>>,
  });
  const thinking = fc.string().map((words) => ({ type: "thinking" as const, thinking: words, thinkingSignature }));
  return fc.array(fc.oneof(texts, call, thinking), { maxLength: 4 });
}
