/** Tests switching the model between any two protocols and back, during and after a tool call. */

import { type Reply, type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import { afterEach, expect, test } from "vitest";
import { endpointPairs, modelOf, modelRequests, TestConversation } from "./protocols.ts";

let server: TestServer;
afterEach(() => server.close());

test.each(endpointPairs)(
  "VOI5 a conversation switches from $provider to another protocol during a turn, and back",
  async (from, to) => {
    server = await startServer({ script: scriptRound });
    const conversation = await TestConversation.begin();
    await conversation.say("Work.");
    for (const endpoint of [from, from, to, to, from, to]) {
      const model = await modelOf(endpoint, server);
      await conversation.answer(await conversation.ask(model));
    }
    await conversation.say("And now tell me.");
    for (const endpoint of [to, from])
      await conversation.answer(await conversation.ask(await modelOf(endpoint, server)));
    expect(modelRequests(server).map(({ outcome, why }) => why ?? outcome)).toEqual(
      Array.from({ length: 8 }, () => "said"),
    );
  },
);

// Each thinks, calls twice at once, and once says something without a call.
function scriptRound({ number }: ScriptRequest): Reply {
  const thinking = { type: "thinking", text: `thought ${number}` } as const;
  const textBlock = { type: "text", text: `step ${number}` } as const;
  if (number === 3) return { parts: [thinking, textBlock] };
  const call = (name: string) => ({ type: "call", name, arguments: { path: `${number}` } }) as const;
  return { parts: [thinking, ...(number % 2 ? [textBlock] : []), call("look"), call("read")] };
}
