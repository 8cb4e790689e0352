/** Tests the benchmark of hosted sessions, and what does not depend on the machine: exact deltas, and the statements of a start and of a run. */

import { expect, test } from "vitest";
import { measureHosted } from "../src/hosted/suite.ts";

test("HCOST1 a start and a run take few statements, and every delta of every session arrives once and in order", async () => {
  const figures = await measureHosted({
    ...{ replySeconds: 2, deltasPerSecond: 4, sessions: 30, startsPerSecond: 50 },
    ...{ others: 10, rounds: 1, phaseSeconds: 0.5, largeEntries: 599, runsPerRound: 5, countedSessions: 5 },
    ...{ queuedPrompts: 60, promptsBeside: 2 },
    ...{ liveSessions: 20, liveStartsPerSecond: 20, liveReplySeconds: 2 },
    ...{ seed: 1, log: () => {} },
  });
  expect(figures).toMatchObject({ sessions_exact: 30, others_exact: 10, live_sessions_exact: 20 });
  expect(figures.start_statements).toBeLessThanOrEqual(7);
  expect(figures.run_statements).toBeLessThanOrEqual(13);
  expect(figures.start_transactions).toBeLessThanOrEqual(4);
  expect(figures.run_transactions).toBeLessThanOrEqual(7);
  const measured = [
    ...["first_delta_p95_s", "rss_per_session_kb", "others_hanging_p95_x", "others_large_p95_x"],
    ...[
      "live_delta_p95_ms",
      "live_first_delta_p95_s",
      "other_tenant_delay_p50_s",
      "longest_slice_ms",
      "run_x_bare",
      "postgres_cpu_ms",
    ],
  ];
  for (const name of measured) expect(figures[name], name).toEqual(expect.any(Number));
});
