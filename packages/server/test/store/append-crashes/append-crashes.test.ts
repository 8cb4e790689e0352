/** Tests that no acknowledged entry is lost or doubled when writers and PostgreSQL are killed. `pnpm test:append-crashes` does it with more of both. */

import { expect, test } from "vitest";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { useDatabase } from "../../support/use-database.ts";
import { killWriters } from "./kill-writers.ts";

const server = useDatabase({ fsync: "on" });

test("PG14 of 2,000 appends with kills of the writer and crashes of PostgreSQL, every acknowledged entry is there once", async () => {
  const report = await killWriters(server, { appends: 2000, kills: 8, restarts: 3, random: createSeededRandom(49) });
  expect(report).toMatchObject({ stored: 2000, kills: 8, restarts: 3, lost: 0, doubled: 0, misplaced: 0 });
  expect(report.acknowledged).toBeGreaterThan(1980);
});
