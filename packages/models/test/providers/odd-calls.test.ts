/** Calls that no honest model would make, over HTTP with the real provider packages: each is kept, answered, and taken back. */

import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { asked, modelOf, Talk, voices } from "./protocols.ts";

let server: TestServer;
afterEach(() => server.close());

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  ({ type: "call", name, arguments: args }) as const;

describe.each(voices)("$provider", (voice) => {
  test.each(["constructor", "__proto__", "toString", "no such tool!", "größe", "x".repeat(100)])(
    "CNV20 a tool called %s is called so in the log, and goes back in a spelling that is taken",
    async (name) => {
      const { reply } = await talked(call(name));
      expect(reply.content).toMatchObject([{ type: "toolCall", name }]);
      expect(asked(server).map(({ outcome }) => outcome)).toEqual(["said", "said"]);
    },
  );

  test("CNV3 arguments that no session could hold are not read, and the conversation goes on", async () => {
    const { reply } = await talked(call("read", { path: JSON.parse("[".repeat(1_000) + "]".repeat(1_000)) }));
    expect(reply.content).toMatchObject([
      { name: "read", arguments: {}, pith: { unread: expect.stringMatching(/^\{"path":\[{200}/) } },
    ]);
    expect(asked(server).map(({ outcome }) => outcome)).toEqual(["said", "said"]);
  });

  async function talked(part: ReturnType<typeof call>) {
    server = await startServer({ script: [{ parts: [part] }, "Done."] });
    const model = await modelOf(voice, server);
    const talk = await Talk.begin();
    await talk.say("Go.");
    const reply = await talk.ask(model);
    await talk.answer(reply);
    await talk.ask(model);
    return { reply };
  }
});
