/** How many are let in at once. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { Gate } from "../../../src/sub-agents/running/gate.ts";

test("AGT6 so many at once, the others in their order, also behind one that throws", async () => {
  const gate = new Gate(2);
  let inside = 0;
  let most = 0;
  const began: number[] = [];
  const one = (number: number) =>
    gate.through(async () => {
      began.push(number);
      most = Math.max(most, ++inside);
      await sleep(5);
      inside -= 1;
      if (number === 1) throw new Error("no");
    });
  await Promise.allSettled([0, 1, 2, 3, 4].map(one));
  assert.deepEqual([most, began], [2, [0, 1, 2, 3, 4]]);
});
