/** Tests how long work yields to the event loop between its steps. */

import { expect, test } from "vitest";
import { LazyValue, LONG_STEP, runAtOnce, runWithPauses, type Steps } from "../src/event-loop.ts";
import { nodeRuntime } from "../src/node/runtime.ts";

function* work(log: string[], name: string, sizes: readonly number[]): Steps<string> {
  for (const [index, size] of sizes.entries()) {
    log.push(`${name}${index}`);
    yield size;
  }
  return name;
}

test("PREP7 long steps of two sessions each run between two pauses, and short ones run together", async () => {
  const log: string[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      log.push("|");
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const watching = watch();
  const both = [work(log, "a", [LONG_STEP, 10, 10]), work(log, "b", [LONG_STEP, LONG_STEP])];
  expect(await Promise.all(both.map((steps) => runWithPauses(steps, nodeRuntime)))).toEqual(["a", "b"]);
  isOver = true;
  await watching;
  const turns = log.join("").split(/\|+/).filter(Boolean);
  expect(turns.toSorted()).toEqual(["a0", "a1a2", "b0", "b1"]);
});

test("PREP7 a lazy value is computed once: in steps, at once, or at once after some steps", () => {
  const log: string[] = [];
  const value = new LazyValue(() => work(log, "a", [1, 1, 1]));
  expect(value.compute().next()).toEqual({ done: false, value: 1 });
  expect([value.get(), value.get(), runAtOnce(value.compute())]).toEqual(["a", "a", "a"]);
  expect(log).toEqual(["a0", "a1", "a2"]);
});
