/** Tests appendToSession and the system prompt. */

import { MemoryStore, type Model, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { Agent } from "../../src/index.ts";

const model = { provider: "none", model: "nobody" } as unknown as Model;

async function written(isSeen: boolean): Promise<readonly string[]> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, systemPrompt: { folder: "/work" } });
  const message = { role: "bashExecution", command: "ls", output: "", exitCode: 0 } as const;
  const line = { ...message, cancelled: false, truncated: false, timestamp: 0 };
  await agent.appendToSession((open) => open.append({ type: "message", message: line }), { isVisibleToModel: isSeen });
  return session.branch.entries.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : []));
}

test("TYP5 an entry that the model sees follows the system prompt, even if it is the first one", async () => {
  const roles = await written(true);
  expect(roles[0]).toBe("system");
  expect(roles.at(-1)).toBe("bashExecution");
});

test("TYP5 an entry that the model does not see does not append the system prompt", async () => {
  expect(await written(false)).toEqual(["bashExecution"]);
});
