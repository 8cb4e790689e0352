/** Tests a full disk during a compaction: the events still report the work and its usage. */

import { compactionLimits } from "@pith/context";
import { expect, test } from "vitest";
import { createTestAgent, heldModel, heldTool, quiet, text } from "../support/held-agent.ts";

test("EVT5 emits the end of a compaction after which nothing can be appended", async () => {
  const model = heldModel();
  const tool = { ...heldTool("watch"), ongoing: () => "a server on port 8080" };
  const test = await createTestAgent(model, {
    tools: [tool],
    summarizers: [],
    limits: { ...compactionLimits, tail: { tokens: 500, share: 1 } },
  });
  for (let round = 0; round < 4; round += 1) {
    const end = test.prompt(`${round} ${"Here is more of it. ".repeat(2_000)}`);
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await end;
  }
  test.events.splice(0);
  const { store } = test.agent.session;
  const append = store.append.bind(store);
  store.append = async (batch, fence) =>
    JSON.stringify(batch).includes("pith.ongoing")
      ? { type: "refused", why: "disk-full", leaf: await store.leaf() }
      : append(batch, fence);
  await expect(test.agent.compact()).rejects.toThrow("the disk is full");
  const events = test.events.filter(({ type }) => /^compaction_(start|end)$/.test(type));
  expect(events).toMatchObject([
    { type: "compaction_start" },
    { type: "compaction_end", result: { tokensBefore: expect.any(Number) } },
  ]);
});
