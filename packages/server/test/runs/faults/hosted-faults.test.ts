/** Runs hosted workers through kills, freezes, a crash of PostgreSQL and a deployment. `pnpm hosted-faults` does it with more of each. */

import { expect, test } from "vitest";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { runCampaign } from "./run-campaign.ts";

test("HRUN11 HRUN12 HRUN13 with workers killed and frozen, PostgreSQL crashed and a release deployed, every prompt is answered once, and each repetition follows a takeover", async () => {
  const seed = Date.now() % 1_000_000;
  const plan = { kills: 20, freezes: 3, restarts: 1, deploys: 1, random: createSeededRandom(seed) };
  const report = await runCampaign(plan);
  expect({ seed, ...report }).toEqual({
    ...{ ...report, seed, kills: 20, freezes: 3, restarts: 1, deploys: 1, problems: [] },
    ...{ lost: 0, doubled: 0, misplaced: 0, stranded: 0 },
    ...{ model_calls_unexplained: 0, tool_runs_unexplained: 0, tool_results_untold: 0 },
    ...{ takeovers_without_fault: 0, retakes_without_fault: 0, late_takeovers: 0 },
  });
  expect(report.prompts).toBeGreaterThan(0);
  expect(report.takeovers).toBeGreaterThan(0);
});
