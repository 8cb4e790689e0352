/** Story 16: the user switches to a model with a smaller window. */

import { expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { compactionLimits } from "../../src/settings.ts";
import { compactSmall, createSession, repeatWord } from "../support/small-session.ts";

test("CMP2 INV21 a context for a million tokens fits 128,000 after one compaction", async () => {
  const turns = Array.from({ length: 22 }, (_, at) => [
    `user: request ${at}`,
    `says: ${repeatWord(6000, `w${at}x`)}`,
  ]).flat();
  const session = await createSession(...turns);
  const large = createBudget(compactionLimits, { contextWindow: 1_000_000 });
  const small = createBudget(compactionLimits, { contextWindow: 128_000 });
  expect(compactionDue(session.branch, large)).toMatchObject({ why: "fits" });
  const { size } = compactionDue(session.branch, small);
  expect(size.tokens).toBeGreaterThan(500_000);
  expect(await compactSmall(session, { budget: small, reason: "model-switch" })).toMatchObject({ type: "compacted" });
  expect(compactionDue(session.branch, small)).toMatchObject({ why: "fits" });
});
