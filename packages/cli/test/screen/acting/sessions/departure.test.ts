/** Leaving a session. */

import { expect, test } from "vitest";
import type { Wish } from "../../../../src/asking/wish.ts";
import { departure } from "../../../../src/screen/acting/sessions/departure.ts";

test("RES4 whoever could not go where they wanted stays, and may leave once more", async () => {
  const { leave, left, isLeaving } = departure();
  const wish = { words: "" } as Wish;
  leave(wish);
  expect(isLeaving()).toBe(true);
  expect(await left()).toBe(wish);
  expect(isLeaving()).toBe(true);
  const again = left();
  expect(isLeaving()).toBe(false);
  leave(null);
  expect(await again).toBeNull();
});
