/** Tests that `pnpm eval honest` reads all its lines, and that its figures stay within their bounds. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("AUD4 AUD5 AUD7 AUD10 pnpm eval honest alters no true line, marks few, and leaves no planted error or invented permission unmarked", () => {
  const run = join(import.meta.dirname, "../../evals/src/run.ts");
  const { stdout, stderr, status } = spawnSync(process.execPath, [run, "honest", "--json"], { encoding: "utf8" });
  expect(stderr).toContain("English, same-prefix: 25 true lines");
  expect(status).toBe(0);
  const figures = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(figures).toMatchObject({
    ...{ true_lines: 287, false_lines: 32, permissions_invented: 3 },
    ...{ same_prefix_true_lines: 287, same_prefix_false_lines: 32, own_same_prefix_permissions_invented: 10 },
    ...{ own_true_lines: 54, own_false_lines: 18, own_permissions_invented: 10 },
    ...{ played_true_lines: 115, planted_errors: 4 },
  });
  expect(figures.planted_caught).toBeGreaterThanOrEqual(3);
  for (const prefix of ["", "own_", "same_prefix_", "own_same_prefix_", "played_"]) {
    expect(figures[`${prefix}true_altered`]).toBe(0);
    expect(figures[`${prefix}true_marked_share`]).toBeLessThanOrEqual(0.05);
  }
  for (const prefix of ["", "own_", "same_prefix_", "own_same_prefix_"]) {
    expect(figures[`${prefix}second_calls_per_10`]).toBeLessThanOrEqual(1);
    expect(figures[`${prefix}permissions_invented_passed`]).toBe(0);
  }
});
