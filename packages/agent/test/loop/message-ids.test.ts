/** Tests messages whose ids the caller gives, so that sending one again is safe. */

import { expect, test } from "vitest";
import {
  branchLines,
  createTestAgent,
  drainRun,
  heldModel,
  quiet,
  reopenTestAgent,
  text,
} from "../support/held-agent.ts";

test("RUN20 a prompt has the caller's id, and sending it again after the reply sends nothing", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = drainRun(test.agent.prompt("Begin.", { id: "client-1" }));
  await quiet();
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
  expect((await test.agent.session.branchEntries())[0]).toMatchObject({ id: "client-1", type: "message" });
  expect(await drainRun(test.agent.prompt("Begin.", { id: "client-1" }))).toEqual({ type: "done" });
  expect(model.requests).toHaveLength(1);
  expect(await branchLines(test)).toEqual(["user: Begin.", "assistant: Done."]);
});

test("RUN20 sending a prompt again after a crash continues its run", async () => {
  const test = await createTestAgent(heldModel());
  void drainRun(test.agent.prompt("Begin.", { id: "client-1" }));
  await quiet();
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  const end = drainRun(again.agent.prompt("Begin.", { id: "client-1" }));
  await quiet();
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(again)).toEqual(["user: Begin.", "assistant: Done."]);
});

test.each(["steer", "followUp"] as const)(
  "RUN20 %s with an id that is queued, or was delivered, adds no message",
  async (method) => {
    const model = heldModel();
    const test = await createTestAgent(model);
    const end = test.prompt("Begin.");
    await quiet();
    await Promise.all([1, 2].map(() => test.agent[method]("Mind the tests.", { id: "client-2" })));
    expect(test.agent.queue.map(({ id }) => id)).toEqual(["client-2"]);
    for (const words of ["Begun.", "Minded."]) {
      model.waiting[0]?.end(text(words));
      await quiet();
    }
    expect(await end).toEqual({ type: "done" });
    await test.agent[method]("Mind the tests.", { id: "client-2" });
    expect(test.agent.queue).toEqual([]);
    expect(await branchLines(test)).toEqual([
      "user: Begin.",
      "assistant: Begun.",
      "user: Mind the tests.",
      "assistant: Minded.",
    ]);
  },
);

test("RUN20 an empty id is refused", async () => {
  const test = await createTestAgent(heldModel());
  await expect(drainRun(test.agent.prompt("Begin.", { id: "" }))).rejects.toThrow("the id of a message is empty");
  await expect(test.agent.steer("Begin.", { id: "" })).rejects.toThrow("the id of a message is empty");
});
