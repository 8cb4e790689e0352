/** Tests random sessions of an agent: no message is lost or doubled, and no call is left open or run twice. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong } from "../../../../context/test/support/test-length.ts";
import { type Act, actSequences, faultsOf, RandomRun } from "./random-run.ts";

const RUNS = Number(process.env.PITH_LIVES ?? (isLong ? 200 : 50));

test("RUN7 random sessions lose and duplicate no message, leave no call open and run none twice (INV46)", {
  timeout: 60_000 + RUNS * 1_000,
}, async () => {
  await fc.assert(fc.asyncProperty(actSequences, expectNoFaults), { numRuns: RUNS });
});

/** Short sessions that always run. */
const short: readonly (readonly Act[])[] = [
  ["prompt", "calls", "compact", "abort", "steer"],
  ["prompt", "steer", "crash", "calls", "crash", "prompt"],
  ["prompt", "calls twice", "last tool ends", "crash", "follow up", "says little"],
];

test.each(short)("RUN7 a short random session: %s, %s, %s …", (...acts) => expectNoFaults(acts));

async function expectNoFaults(acts: readonly Act[]): Promise<void> {
  const agent = await RandomRun.begin();
  for (const act of acts) await agent.act(act);
  await agent.end();
  expect(await faultsOf(agent)).toEqual([]);
}
