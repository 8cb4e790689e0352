/** Tests that the hooks of several hosts are merged. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { mergeHooks } from "../src/index.ts";

test("SAY13 runs the hooks of each host after those of the host before it, and reports failures to every host", () => {
  const calls: string[] = [];
  const [one, two, three] = [() => undefined, () => undefined, () => undefined];
  const joined = mergeHooks(
    {
      input: [one],
      report: () => {
        calls.push("first");
        throw new Error("it had to");
      },
    },
    {},
    { input: [two, three], turn_end: [], report: ({ why }) => void calls.push(why), onFailure: "cancel" },
  );
  assert.deepEqual(joined.input, [one, two, three]);
  assert.equal(joined.turn_end, undefined);
  assert.equal(joined.onFailure, "cancel");
  assert.throws(() => joined.report?.({ event: "input", why: "second" }));
  assert.deepEqual(calls, ["first", "second"]);
  assert.deepEqual(mergeHooks({}, {}), {});
});
