/** A share of the random lives that every change of compaction is tried on; the seed is printed, so that a failure can be repeated. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { live } from "./live.ts";
import { fullSessionSteps } from "./steps.ts";

export function runFullSessions(runs: number): void {
  describe("INV1 INV2 INV3 INV4 INV5 INV6 INV7 INV8 INV11 INV13 INV15 INV16 INV17 INV19 INV20 INV21 INV40 INV41 INV43 INV44 INV45 INV47 INV48 INV50", () => {
    test("CMP3 CMP6 CMP9 CMP10 UNDO1 hold in every random session that fills its context", async () => {
      const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`${runs} lives, seed ${seed} (repeat with PITH_SEED=${seed})`);
      const result = await fc.check(fc.asyncProperty(fullSessionSteps, live), {
        seed,
        numRuns: runs,
        includeErrorInReport: true,
      });
      expect(result.failed, fc.defaultReportMessage(result) ?? "").toBe(false);
      expect(result.numRuns).toBe(runs);
    });
  });
}
