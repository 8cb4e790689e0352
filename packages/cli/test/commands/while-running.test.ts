/** Commands while a run is under way: what can wait waits for the moment between two requests, what cannot is refused. */

import type { Agent, RunEnd } from "@pith/agent";
import { scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

test("COM33 /tree, /undo and /redo are refused during a run (B80)", async () => {
  const { context, gate, run } = await atWork();
  for (const words of ["/tree e1", "/tree root --summary", "/undo", "/redo"])
    expect(await runForResult(words, context), words).toEqual({
      type: "failed",
      message: "a run is in progress; wait for it to finish, or stop it first",
    });
  gate.resolve();
  expect(await run).toEqual({ type: "done" });
});

test("COM33 undoCompaction and its redo are refused during a run, and are not done after it", async () => {
  const { context, gate, run } = await atWork();
  const results = Promise.all([context.agent.undoCompaction(), context.agent.undoCompaction("redo")]);
  gate.resolve();
  expect(await run).toEqual({ type: "done" });
  expect((await results).map(({ type }) => type)).toEqual(["refused", "refused"]);
});

test("COM34 during a run, commands that only read answer at once, and commands that write wait for the end of the request", async () => {
  const { context, gate, run } = await atWork();
  for (const words of ["/tree", "/context", "/session", "/help", "/autocompact off", "/model"])
    await runForText(words, context);
  const order: string[] = [];
  const waiting = ["/pin Use tabs.", "/name the work", "/thinking high", "/compact"].map(async (words) => {
    await runForResult(words, context);
    order.push(words);
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(order).toEqual([]);
  gate.resolve();
  expect(await run).toEqual({ type: "done" });
  await Promise.all(waiting);
  expect(order.toSorted()).toEqual(["/compact", "/name the work", "/pin Use tabs.", "/thinking high"]);
  expect(context.agent.session.branch.state.pins).toMatchObject([{ text: "Use tabs." }]);
});

/** A run whose model is silent until the gate is opened. */
async function atWork() {
  const gate = Promise.withResolvers<void>();
  const model = scriptedModel("done", "done");
  const stream: typeof model.stream = async function* (request, act) {
    await gate.promise;
    yield* model.stream(request, act);
  };
  const context = await createCommandContext(["user: hello", "says: hi"], { model: { stream } });
  const run = ended(context.agent);
  while (!context.agent.session.branch.entries.some((entry) => JSON.stringify(entry).includes("work on")))
    await new Promise((resolve) => setTimeout(resolve, 5));
  return { context, gate, run };
}

async function ended(agent: Agent): Promise<RunEnd> {
  const run = agent.prompt("work on");
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}
