/** Tests odd tool calls over HTTP with the real provider packages: each is stored, answered and accepted back. */

import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { endpoints, modelOf, modelRequests, TestConversation } from "./protocols.ts";

let server: TestServer;
afterEach(() => server.close());

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  ({ type: "call", name, arguments: args }) as const;

describe.each(endpoints)("$provider", (endpoint) => {
  test.each(["constructor", "__proto__", "toString", "no such tool!", "größe", "x".repeat(100)])(
    "CNV20 stores a tool named %s under its name, and sends it back in an accepted spelling",
    async (name) => {
      const { reply } = await talked(call(name));
      expect(reply.content).toMatchObject([{ type: "toolCall", name }]);
      expect(modelRequests(server).map(({ outcome }) => outcome)).toEqual(["said", "said"]);
    },
  );

  test("CNV3 drops arguments that a session could not store, and continues", async () => {
    const { reply } = await talked(call("read", { path: JSON.parse("[".repeat(1_000) + "]".repeat(1_000)) }));
    expect(reply.content).toMatchObject([
      { name: "read", arguments: {}, pith: { unread: expect.stringMatching(/^\{"path":\[{200}/) } },
    ]);
    expect(modelRequests(server).map(({ outcome }) => outcome)).toEqual(["said", "said"]);
  });

  async function talked(part: ReturnType<typeof call>) {
    server = await startServer({ script: [{ parts: [part] }, "Done."] });
    const model = await modelOf(endpoint, server);
    const conversation = await TestConversation.begin();
    await conversation.say("Go.");
    const reply = await conversation.ask(model);
    await conversation.answer(reply);
    await conversation.ask(model);
    return { reply };
  }
});
