/** Random sessions with many user messages, every summarizer, and windows from 8,000 to 1,000,000 tokens. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong } from "../../support/test-length.ts";
import { messageSteps, runMessageSession } from "./message-session.ts";

const RUNS = Number(process.env.PITH_RUNS ?? (isLong ? 20 : 5));

test("KEEP5 KEEP15 every message is whole, shortened, carried over, a stub or counted, whatever happens to the session", async () => {
  const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${RUNS} sessions, seed ${seed} (repeat with PITH_SEED=${seed})`);
  const result = await fc.check(fc.asyncProperty(messageSteps, runMessageSession), {
    seed,
    numRuns: RUNS,
    includeErrorInReport: true,
  });
  expect(result.failed, fc.defaultReportMessage(result) ?? "").toBe(false);
  expect(result.numRuns).toBe(RUNS);
});
