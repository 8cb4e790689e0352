/** Story 23: the provider refuses a request that should have fitted, again and again. Each retry is smaller, and there is an end. */

import { expect, test } from "vitest";
import { contextSize } from "../../src/context/context-size.ts";
import { compactSmall, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const turns = Array.from({ length: 12 }, (_, at) => [`user: request ${at}`, `says: ${repeatWord(40)}`]).flat();

test("CMP4 CMP2 every retry is smaller, and after four of them the breaker opens", async () => {
  const session = await createSession(...turns);
  const budget = smallBudget({ tail: { tokens: 500, share: 1 } });
  const sizes = [contextSize(session.branch, budget).tokens];
  for (let attempt = 0; attempt < 10; attempt++) {
    const outcome = await compactSmall(session, { budget, reason: "overflow", attempt });
    if (outcome.type !== "compacted") {
      expect(outcome).toMatchObject({ type: "failed", why: "cannot-fit" });
      break;
    }
    sizes.push(outcome.receipt.tokens.after);
  }
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.length).toBeLessThanOrEqual(5);
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  expect(new Set(sizes).size).toBe(sizes.length);
});
