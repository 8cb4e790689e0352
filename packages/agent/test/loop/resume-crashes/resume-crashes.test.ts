/** Kills clients at a few random steps. `pnpm test:resume` kills 500. */

import { expect, test } from "vitest";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { killClients } from "./kill-clients.ts";

test("RUN7 RUN20 clients that are killed at random steps and send everything again lose, double and merge no message", async () => {
  const seed = Date.now() % 1_000_000;
  const { kills, sessions, ...report } = await killClients(6, createSeededRandom(seed));
  expect({ seed, ...report }).toEqual({ seed, lost: 0, doubled: 0, merged: 0, faults: [] });
  expect(kills).toBeGreaterThanOrEqual(6);
  expect(sessions).toBeGreaterThan(0);
});
