/** Tests the short version of `pnpm eval recall`: every planted fact is found within three calls, and answers in recorded sessions are cheap. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const evals = join(import.meta.dirname, "../../evals/src/run.ts");

test("RCL9 RST4 planted facts are found within three calls after 50 compactions; questions and rereads in recorded sessions cost little", () => {
  const { stdout } = spawnSync(process.execPath, [evals, "recall", "--quick", "--json"], { encoding: "utf8" });
  const figures = JSON.parse(stdout) as Readonly<Record<string, number>>;
  for (const kind of ["recorded", "written"]) {
    expect(figures[`played_${kind}_tokens`]).toBeLessThanOrEqual(7_000);
    expect(figures[`played_${kind}_tokens_max`]).toBeLessThanOrEqual(700);
  }
  expect(figures.played_recorded_answered).toBeGreaterThanOrEqual(8);
  expect(figures.played_written_answered).toBeGreaterThanOrEqual(8);
  expect(figures.reread_tokens_played).toBeLessThanOrEqual(3 * 1_200);
  expect(figures.reread_tokens_played_rules).toBeLessThanOrEqual(2_000);
  expect(figures).toMatchObject({ recoverable: 1, compactions: 50, distractors: 50 });
  expect(figures.in_context).toBeLessThan(0.3);
  expect(figures.entries).toBeGreaterThanOrEqual(4_000);
  expect(figures.facts).toBeGreaterThanOrEqual(12);
  expect(figures.result_bytes_max).toBeLessThan(10_000);
});
