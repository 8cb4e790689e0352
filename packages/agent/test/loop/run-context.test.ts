/** How much of what waits is said at once. */

import assert from "node:assert/strict";
import type { QueuedMessage } from "@pith/context/host";
import { test } from "vitest";
import { createDeliveryFilter, type DeliveryFilterOptions } from "../../src/loop/run-context.ts";

const queue: readonly QueuedMessage[] = (["followUp", "steer", "steer", "followUp"] as const).map((kind, at) => ({
  id: `q${at}`,
  kind,
  content: "words",
}));

const heard = (kind: QueuedMessage["kind"], delivery: "all" | "one-at-a-time"): readonly string[] => {
  const session = { branch: { state: { queue } } } as unknown as DeliveryFilterOptions["session"];
  const isSaid = createDeliveryFilter(kind, { session, queueModes: { steer: delivery, followUp: delivery } });
  return queue.filter(isSaid).map(({ id }) => id);
};

test("RPC8 all of a kind, or the first of it", () => {
  assert.deepEqual(heard("steer", "all"), ["q1", "q2"]);
  assert.deepEqual(heard("steer", "one-at-a-time"), ["q1"]);
  assert.deepEqual(heard("followUp", "all"), ["q0", "q3"]);
  assert.deepEqual(heard("followUp", "one-at-a-time"), ["q0"]);
});
