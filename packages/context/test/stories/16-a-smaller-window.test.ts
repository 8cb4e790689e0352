/** Story 16: the user switches to a model with a smaller window. */

import { expect, test } from "vitest";
import { budgetFor } from "../../src/compaction/budget.ts";
import { due } from "../../src/compaction/should-compact.ts";
import { compactionLimits } from "../../src/settings.ts";
import { compactSmall, sessionOf, words } from "../compaction/small-session.ts";

test("CMP2 INV21 what fitted a million tokens fits 128,000 after one compaction", async () => {
  const turns = Array.from({ length: 22 }, (_, at) => [
    `user: request ${at}`,
    `says: ${words(6000, `w${at}x`)}`,
  ]).flat();
  const session = await sessionOf(...turns);
  const large = budgetFor(compactionLimits, { contextWindow: 1_000_000 });
  const small = budgetFor(compactionLimits, { contextWindow: 128_000 });
  expect(due(session.window, large)).toMatchObject({ why: "fits" });
  const { size } = due(session.window, small);
  expect(size.tokens).toBeGreaterThan(500_000);
  expect(await compactSmall(session, { budget: small, reason: "model-switch" })).toMatchObject({ type: "compacted" });
  expect(due(session.window, small)).toMatchObject({ why: "fits" });
});
