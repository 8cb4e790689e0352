/** Tests `suspend`, which ends a run between two requests so that another process can resume it. */

import { expect, test } from "vitest";
import {
  branchLines,
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  quiet,
  reopenTestAgent,
  type TestAgent,
  text,
} from "../support/held-agent.ts";

const entryCount = async ({ agent }: TestAgent): Promise<number> => (await agent.session.branchEntries()).length;

test("RUN19 suspend waits for the tool calls of the reply, writes nothing and sends no further request", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const test = await createTestAgent(model, { tools: [tool] });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  await test.agent.followUp("Then the docs.");
  let isSuspended = false;
  const suspended = test.agent.suspend().then(() => {
    isSuspended = true;
  });
  await quiet();
  expect(isSuspended).toBe(false);
  const before = await entryCount(test);
  tool.waiting[0]?.end("done");
  await suspended;
  expect(await end).toEqual({ type: "suspended" });
  expect(await entryCount(test)).toBe(before + 1);
  expect(model.requests).toHaveLength(1);
  expect(test.events.map(({ type }) => type)).not.toContain("agent_settled");

  const next = heldModel();
  const again = await reopenTestAgent(test, { model: next, tools: [tool] }, "f");
  const resumed = again.resume();
  for (const words of ["Worked.", "Docs written."]) {
    await quiet();
    next.waiting[0]?.end(text(words));
  }
  expect(await resumed).toEqual({ type: "done" });
  expect(await branchLines(again)).toEqual([
    "user: Begin.",
    "assistant: [c1]",
    "c1 → done",
    "assistant: Worked.",
    "user: Then the docs.",
    "assistant: Docs written.",
  ]);
});

test("RUN19 suspend lets a run that is done end as done, and keeps a message that arrived at its end", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  const suspended = test.agent.suspend();
  model.waiting[0]?.end(text("Done."));
  await suspended;
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(test)).toEqual(["user: Begin.", "assistant: Done."]);
});

test("RUN19 suspend keeps follow-ups in the queue and does not start their turn", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  await test.agent.followUp("Then the docs.");
  const suspended = test.agent.suspend();
  model.waiting[0]?.end(text("Done."));
  await suspended;
  expect(await end).toEqual({ type: "suspended" });
  expect(model.requests).toHaveLength(1);
  expect(test.agent.queue.map(({ content }) => content)).toEqual(["Then the docs."]);
  const again = test.resume();
  await quiet();
  model.waiting[0]?.end(text("Docs written."));
  expect(await again).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(-2)).toEqual(["user: Then the docs.", "assistant: Docs written."]);
});

test("RUN19 suspend without a run resolves at once, and a later prompt runs", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  await test.agent.suspend();
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
});
