/** Tests a number of random sessions, as every change does; the seed is printed, so that a failure can be repeated. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commandSequences } from "./commands.ts";
import { replayOn } from "./replay.ts";
import type { StoreFactory } from "./stores.ts";

export function runCommandSequences(runs: number, where: string, createStore: StoreFactory): void {
  describe("INV1 INV2 INV3 INV4 INV5 INV23 INV24 INV25 INV26 INV27 INV28 INV29 INV31 INV32 INV33", () => {
    test(`CTX1 LOG1 hold in every random session, ${where}`, async () => {
      const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`${runs} sessions, seed ${seed} (repeat with PITH_SEED=${seed})`);
      const result = await fc.check(fc.asyncProperty(commandSequences, replayOn(createStore)), {
        seed,
        numRuns: runs,
        includeErrorInReport: true,
      });
      expect(result.failed, fc.defaultReportMessage(result) ?? "").toBe(false);
      expect(result.numRuns).toBe(runs);
    });
  });
}
