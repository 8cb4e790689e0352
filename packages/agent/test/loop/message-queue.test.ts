/** The queue of messages: which are delivered at once, and messages that arrive while an input hook runs. */

import assert from "node:assert/strict";
import type { Session } from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import { test } from "vitest";
import { createDeliveryFilter } from "../../src/loop/message-queue.ts";
import { branchLines, createTestAgent, heldModel, quiet, text } from "../support/held-agent.ts";

const custom = { customType: "mine", display: true };

test("RUN6 waits for a message whose input hook still runs, while other messages are delivered", async () => {
  const model = heldModel();
  const thought = Promise.withResolvers<void>();
  const slow = async ({ as }: { readonly as: string }) => {
    if (as === "steer") await thought.promise;
    return { action: "continue" } as const;
  };
  const test = await createTestAgent(model, { hooks: { input: [slow], isWaitingForUser: () => true } });
  const end = test.prompt("Begin.");
  await quiet();
  const steered = test.agent.steer("And this.");
  await test.agent.sendCustomMessage({ kind: "followUp", content: "The build is red.", custom });
  model.waiting[0]?.end(text("Done."));
  await quiet();
  model.waiting[0]?.end(text("I see."));
  await quiet();
  assert.equal(test.agent.isRunning, true);
  thought.resolve();
  await steered;
  await quiet();
  model.waiting[0]?.end(text("That, too."));
  assert.deepEqual(await end, { type: "done" });
  assert.deepEqual((await branchLines(test)).slice(-2), ["user: And this.", "assistant: That, too."]);
});

test("SAY2 queued messages stay queued when a hook handles the prompt", async () => {
  const model = heldModel();
  const test = await createTestAgent(model, {
    hooks: { input: [({ text }) => (text === "/mine" ? { action: "handled" } : undefined)] },
  });
  await test.agent.followUp("Later.");
  assert.deepEqual(await test.prompt("/mine"), { type: "done" });
  assert.equal(model.requests.length, 0);
  assert.equal(test.agent.queue.length, 1);
});

test("RPC8 delivers all messages of a kind, or the oldest one", () => {
  const queue: readonly QueuedMessage[] = (["followUp", "steer", "steer", "followUp"] as const).map((kind, index) => ({
    id: `q${index}`,
    kind,
    content: "hello",
  }));
  const session = { branch: { state: { queue } } } as unknown as Session;
  const deliveredIds = (kind: QueuedMessage["kind"], mode: "all" | "one-at-a-time"): readonly string[] => {
    const isDelivered = createDeliveryFilter(kind, { session, queueModes: { steer: mode, followUp: mode } });
    return queue.filter(isDelivered).map(({ id }) => id);
  };
  assert.deepEqual(deliveredIds("steer", "all"), ["q1", "q2"]);
  assert.deepEqual(deliveredIds("steer", "one-at-a-time"), ["q1"]);
  assert.deepEqual(deliveredIds("followUp", "all"), ["q0", "q3"]);
  assert.deepEqual(deliveredIds("followUp", "one-at-a-time"), ["q0"]);
});
