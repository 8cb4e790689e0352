/** Tests the short version of `pnpm eval recall`: every planted fact is found within three calls. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const evals = join(import.meta.dirname, "../../evals/src/run.ts");

test("RCL9 planted facts are found within three calls after 50 compactions", () => {
  const { stdout } = spawnSync(process.execPath, [evals, "recall", "--quick", "--json"], { encoding: "utf8" });
  const figures = JSON.parse(stdout) as Readonly<Record<string, number>>;
  expect(figures).toMatchObject({ recoverable: 1, compactions: 50, distractors: 50 });
  expect(figures.in_context).toBeLessThan(0.3);
  expect(figures.entries).toBeGreaterThanOrEqual(4_000);
  expect(figures.facts).toBeGreaterThanOrEqual(12);
  expect(figures.result_bytes_max).toBeLessThan(10_000);
});
