/** Tests that all deltas of a reply are emitted before its entry. */

import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { agentOf, modelOf, providers } from "../support/served-agents.ts";

test.each(providers)("EVT9 the entry of a reply of $provider follows all its deltas", async (modelName) => {
  const server = await startServer({
    script: ["A short answer, which comes at once and in many pieces.".repeat(20)],
  });
  const received: string[] = [];
  const agent = await agentOf(await modelOf(modelName, server), {
    onEvent: (event) => void received.push(event.type),
  });
  for await (const _ of agent.prompt("Say something."));
  await server.close();
  const reply = received.slice(received.lastIndexOf("turn_start"));
  expect(reply.filter((type) => type === "message_update").length).toBeGreaterThan(1);
  expect(reply.lastIndexOf("message_update")).toBeLessThan(reply.indexOf("entry_appended"));
  expect(reply.indexOf("entry_appended")).toBeLessThan(reply.indexOf("message_end"));
});
