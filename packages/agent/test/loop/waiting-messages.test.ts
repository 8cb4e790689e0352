/** Tests messages that are sent during a run: recorded at once and delivered once, in order. */

import { expect, test } from "vitest";
import {
  branchLines,
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  heldWriter,
  quiet,
  reopenTestAgent,
  text,
} from "../support/held-agent.ts";

test("RUN6 delivers steering messages before the next request and follow-ups when the model is done, each once", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const test = await createTestAgent(model, { tools: [tool] });
  const end = test.prompt("Begin.");
  await quiet();
  await test.agent.followUp("Then the docs.");
  await test.agent.steer("Mind the tests.");
  await test.agent.followUp("Then a release.");
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  for (const words of ["Tests minded.", "Docs written.", "Released."]) {
    await quiet();
    model.waiting[0]?.end(text(words));
  }
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(test)).toEqual([
    "user: Begin.",
    "assistant: [c1]",
    "c1 → done",
    "user: Mind the tests.",
    "assistant: Tests minded.",
    "user: Then the docs.",
    "assistant: Docs written.",
    "user: Then a release.",
    "assistant: Released.",
  ]);
  expect(test.agent.queue).toEqual([]);
  expect(test.events.filter(({ type }) => type === "queue_update").at(-1)).toEqual({
    type: "queue_update",
    steering: [],
    followUp: [],
  });
});

test("RUN6 delivers messages that were queued when the program ended first, in order, after a restart", async () => {
  const test = await createTestAgent(heldModel());
  void test.prompt("Begin.");
  await quiet();
  await test.agent.followUp("One.");
  await test.agent.steer("Two.");
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  expect(again.agent.queue.map(({ content }) => content)).toEqual(["One.", "Two."]);
  const end = again.prompt("Three.");
  await quiet();
  model.waiting[0]?.end(text("Heard."));
  await end;
  expect(await branchLines(again)).toEqual([
    "user: Begin.",
    "user: One.",
    "user: Two.",
    "user: Three.",
    "assistant: Heard.",
  ]);
});

test("RUN6 delivers messages that arrive during a compaction after it, in order, once (INV46)", async () => {
  const model = heldModel();
  const writer = heldWriter();
  const test = await createTestAgent(model, { summarizers: [writer] });
  for (const words of ["First.", "Second."]) {
    const end = test.prompt(words);
    await quiet();
    model.waiting[0]?.end(text("Here is more of it. ".repeat(2_000)));
    await end;
  }
  const compacted = test.agent.compact();
  await quiet();
  expect(writer.waiting).toHaveLength(1);
  const end = test.prompt("Said meanwhile.");
  await test.agent.steer("And this.");
  await quiet();
  expect(model.waiting).toEqual([]);
  writer.waiting[0]?.end("fails");
  expect(await compacted).toMatchObject({ type: "compacted", summary: expect.any(String) });
  await quiet();
  model.waiting[0]?.end(text("Heard both."));
  expect(await end).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(-4)).toEqual([
    "compaction",
    "user: Said meanwhile.",
    "user: And this.",
    "assistant: Heard both.",
  ]);
});

test("RUN6 a message that is removed from the queue is not delivered", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  await test.agent.steer("Never mind.");
  expect((await test.agent.clearQueue()).map(({ content }) => content)).toEqual(["Never mind."]);
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(test)).toEqual(["user: Begin.", "assistant: Done."]);
});

test("RUN6 refuses a second run while one is in progress", async () => {
  const test = await createTestAgent(heldModel());
  void test.prompt("Begin.");
  await quiet();
  await expect(test.prompt("Me too.")).rejects.toThrow("the agent is already running");
});

test("RUN6 a delivered message is no longer queued, even after a move to before it", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  await test.agent.followUp("Then this.");
  model.waiting[0]?.end(text("Begun."));
  await quiet();
  model.waiting[0]?.end(text("And this."));
  await end;
  const found = (await test.agent.session.branchEntries()).find((entry) =>
    JSON.stringify(entry).includes('"Then this."}]'),
  );
  expect(await test.agent.navigateTree(found?.id ?? "")).toMatchObject({ type: "moved", editorText: "Then this." });
  expect(test.agent.queue).toEqual([]);
  const next = test.prompt("Rather that.");
  await quiet();
  model.waiting[0]?.end(text("That it is."));
  expect(await next).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(-2)).toEqual(["user: Rather that.", "assistant: That it is."]);
});

test("RUN6 queued messages follow a move", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  const start = test.agent.session.leaf;
  model.waiting[0]?.end(text("Begun."));
  await end;
  await test.agent.steer("Mind the gap.");
  await test.agent.navigateTree(start);
  expect(test.agent.queue.map(({ content }) => content)).toEqual(["Mind the gap."]);
});

test("RUN6 refuses an empty prompt", async () => {
  const test = await createTestAgent(heldModel());
  await expect(test.prompt("")).rejects.toThrow("the prompt is empty");
});
