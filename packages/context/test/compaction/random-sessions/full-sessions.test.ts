/** Random sessions that fill up. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLong } from "../../support/test-length.ts";
import { runFullSession } from "./full-session.ts";
import { fullSessionSteps } from "./steps.ts";

const RUNS = isLong ? 2_000 : 150;

describe("INV1 INV2 INV3 INV4 INV5 INV6 INV7 INV8 INV11 INV13 INV15 INV16 INV17 INV19 INV20 INV21 INV40 INV41 INV43 INV44 INV45 INV47 INV48 INV50", () => {
  test("CMP3 CMP6 CMP9 CMP10 UNDO1 hold in every random session that fills its context", async () => {
    const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`${RUNS} sessions, seed ${seed} (repeat with PITH_SEED=${seed})`);
    const result = await fc.check(fc.asyncProperty(fullSessionSteps, runFullSession), {
      seed,
      numRuns: RUNS,
      includeErrorInReport: true,
    });
    expect(result.failed, fc.defaultReportMessage(result) ?? "").toBe(false);
    expect(result.numRuns).toBe(RUNS);
  });
});
