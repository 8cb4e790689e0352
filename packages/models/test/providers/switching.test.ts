/** The model changed in mid-session, between any two protocols and back, while a call is open and after one: nothing is refused. */

import { type Reply, type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import { afterEach, expect, test } from "vitest";
import { asked, modelOf, Talk, ways } from "./protocols.ts";

let server: TestServer;
afterEach(() => server.close());

test.each(ways)("VOI5 from $provider to another protocol in the middle of the work, and back", async (from, to) => {
  server = await startServer({ script: round });
  const talk = await Talk.begin();
  await talk.say("Work.");
  for (const voice of [from, from, to, to, from, to]) {
    const model = await modelOf(voice, server);
    await talk.answer(await talk.ask(model));
  }
  await talk.say("And now tell me.");
  for (const voice of [to, from]) await talk.answer(await talk.ask(await modelOf(voice, server)));
  expect(asked(server).map(({ outcome, why }) => why ?? outcome)).toEqual(Array.from({ length: 8 }, () => "said"));
});

// Each thinks, calls twice at once, and once says something without a call.
function round({ number }: ScriptRequest): Reply {
  const thinking = { type: "thinking", text: `thought ${number}` } as const;
  const said = { type: "text", text: `step ${number}` } as const;
  if (number === 3) return { parts: [thinking, said] };
  const call = (name: string) => ({ type: "call", name, arguments: { path: `${number}` } }) as const;
  return { parts: [thinking, ...(number % 2 ? [said] : []), call("look"), call("read")] };
}
