/** Tests tools and permission checks that misbehave: the model gets an error result, and the run continues. */

import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { Agent, type Tool } from "../../src/index.ts";
import { branchLines, calls, createTestAgent, heldModel, heldTool, quiet, text } from "../support/held-agent.ts";

const circle: Record<string, unknown> = {};
circle.self = circle;
let deep: unknown = "bottom";
for (let level = 0; level < 300; level += 1) deep = { deep };

const answers: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  "the answer to a question": { type: "later" },
  "no content": {},
  "a text for content": { content: "text" },
  "no block": { content: [null] },
  "details in a circle": { content: [], details: circle },
  "details without end": { content: [], details: deep },
  "a number that JSON does not know": { content: [], details: 1n },
};

test.each(Object.entries(answers))("RUN4 a tool that returns %s has an error result", async (_, output) => {
  const model = heldModel();
  const odd: Tool = { ...heldTool("odd"), run: async () => output as never };
  const test = await createTestAgent(model, { tools: [odd] });
  const end = test.prompt("Try.");
  await quiet();
  model.waiting[0]?.end(calls("odd", "c1"));
  await quiet();
  model.waiting[0]?.end(text("So it goes."));
  expect(await end).toEqual({ type: "done" });
  expect((await branchLines(test))[2]).toMatch(/^c1 → /);
});

test("RUN11 a permission check that throws refuses the call", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const permits = { permit: async () => Promise.reject(new Error("nobody there")) };
  const test = await createTestAgent(model, { tools: [tool], permissions: permits });
  const end = test.prompt("Try.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  model.waiting[0]?.end(text("So it goes."));
  expect(await end).toEqual({ type: "done" });
  expect(tool.ran).toEqual([]);
  expect((await branchLines(test))[2]).toBe("c1 → nobody there");
});

test("RUN1 a run whose session cannot be written ends with the reason, and no work continues", async () => {
  const model = heldModel();
  const quick = {
    ...heldTool("quick", { isConcurrent: true }),
    run: async () => ({ content: [{ type: "text" as const, text: "done" }] }),
  };
  const slow = heldTool("slow", { isConcurrent: true });
  const store = MemoryStore.create(nodeRuntime);
  const session = await Session.open(store, nodeRuntime);
  const agent = new Agent({ session, model, tools: [quick, slow], runtime: nodeRuntime });
  const run = agent.prompt("Try.");
  const ended = (async () => {
    for (;;) {
      const { done, value } = await run.next();
      if (done) return value;
    }
  })();
  await quiet();
  const append = store.append.bind(store);
  store.append = async (batch, fence) =>
    JSON.stringify(batch).includes('"toolResult"')
      ? { type: "refused", why: "disk-full", leaf: await store.leaf() }
      : append(batch, fence);
  const both = [...contentOf("quick", "c1"), ...contentOf("slow", "c2")];
  model.waiting[0]?.end({ content: both });
  expect(await ended).toEqual({ type: "failed", why: expect.stringContaining("the disk is full") });
  expect(slow.waiting).toEqual([]);
  expect(agent.isRunning).toBe(false);
});

function contentOf(name: string, id: string) {
  return [{ type: "toolCall" as const, id, name, arguments: {} }];
}
