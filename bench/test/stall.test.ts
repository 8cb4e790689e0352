/** Tests `pnpm bench stall` with a few short sessions. */

import { expect, test } from "vitest";
import { measureStall } from "../src/stall/suite.ts";

test("PREP7 sessions with a prepared summary do not wait for it, and never exceed the limit", async () => {
  const figures = await measureStall({
    ...{ sessions: 3, rounds: 44, roundMs: 100, summaryMs: 2_000, seed: 1 },
    log: () => {},
  });
  expect(figures).toMatchObject({ sessions: 3, compactions: 3, prepared_share: 1, over_limit: 0, compactions_200k: 1 });
  expect(figures.stall_p95_s).toBeLessThan(1);
  expect(figures.unprepared_stall_p95_s).toBeGreaterThanOrEqual(2);
  expect(figures.longest_slice_ms).toBeGreaterThan(0);
  expect(figures.longest_slice_200k_ms).toBeGreaterThan(0);
});
