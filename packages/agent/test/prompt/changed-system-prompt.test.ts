/** Tests a change of the system prompt in a session: sent messages stay, and the change is appended. */

import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent } from "../../src/index.ts";
import { ran } from "../support/served-agents.ts";

test("SKL11 a changed system prompt leaves all sent bytes unchanged and is appended once", async () => {
  const model = scriptedModel("One.", "Two.", "Three.");
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const project = [{ path: "AGENTS.md", text: "Use tabs." }];
  const agent = new Agent({
    session,
    model,
    tools: [],
    runtime: nodeRuntime,
    systemPrompt: { folder: "/work", projectTexts: project },
  });
  await ran(agent, "First.");
  agent.setSystemPrompt({ folder: "/work", projectTexts: [{ path: "AGENTS.md", text: "Use spaces." }] });
  await ran(agent, "Second.");
  await ran(agent, "Third.");
  const [first, second, third] = model.requests;
  expect(second?.system).toEqual(first?.system);
  expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  expect(JSON.stringify(second?.messages.slice(first?.messages.length))).toContain("Use spaces.");
  expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
  expect(JSON.stringify(third).match(/Use spaces\./g)).toHaveLength(1);
});
