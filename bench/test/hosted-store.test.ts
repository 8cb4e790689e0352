/** Tests the benchmark of sessions in PostgreSQL, and what does not depend on the machine: the plan of a context. */

import { expect, test } from "vitest";
import { measureHostedStore } from "../src/hosted-store/suite.ts";

test("PG1 a context is read by index, from as few pages in a long session as it has, and appends are measured beside bare inserts", async () => {
  const figures = await measureHostedStore({ rows: 5_000, rounds: 1, appends: 5, log: () => {} });
  expect(figures).toMatchObject({ rows: 5_000, sequential_scans: 0 });
  expect(figures.buffers).toBeGreaterThan(0);
  expect(figures.buffers).toBeLessThanOrEqual(200);
  for (const name of ["append_x_bare", "writers40_x_bare", "context_flat"]) expect(figures[name]).toBeGreaterThan(0);
});
