/** Tests that the rows of a long session are read with pauses. */

import { expect, test } from "vitest";
import { toEntries } from "../../src/store/entry-rows.ts";

const ROW_CHARS = 10_000;

test("PREP7 the entries of a long session are made from their rows in slices, in order", async () => {
  const slices = [0];
  const rows = Array.from({ length: 400 }, (_, index) => {
    const message = { role: "user", content: "x".repeat(ROW_CHARS), timestamp: 0 };
    const body = JSON.stringify({ type: "message", id: `e${index}`, parentId: null, timestamp: "", message });
    return {
      get number() {
        slices.push((slices.pop() ?? 0) + 1);
        return index + 1;
      },
      body,
    };
  });
  let isOver = false;
  const countTurns = (): void => {
    slices.push(0);
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const entries = await toEntries(rows);
  isOver = true;
  expect(entries.map(({ id }) => id)).toEqual(rows.map((_, index) => `e${index}`));
  expect(slices.reduce((sum, count) => sum + count, 0)).toBe(rows.length);
  expect(Math.max(...slices)).toBeLessThanOrEqual(60);
});
