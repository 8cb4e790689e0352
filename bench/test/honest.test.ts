/** `pnpm eval honest` reads all its lines and prints its figures. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("every true, false and invented line is tried, and the figures are shares of them", () => {
  const run = join(import.meta.dirname, "../../evals/src/run.ts");
  const { stdout, stderr, status } = spawnSync(process.execPath, [run, "honest", "--json"], { encoding: "utf8" });
  expect(stderr).toContain("English: 25 true lines");
  expect(status).toBe(0);
  const figures = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(figures).toMatchObject({
    ...{ true_lines: 192, false_lines: 32, permissions_invented: 3 },
    ...{ own_true_lines: 54, own_false_lines: 18, own_permissions_invented: 10 },
  });
  for (const prefix of ["", "own_"]) {
    expect(figures[`${prefix}true_altered`]).toBeLessThanOrEqual(figures[`${prefix}true_lines`]);
    expect(figures[`${prefix}false_caught`]).toBeLessThanOrEqual(figures[`${prefix}false_lines`]);
    expect(figures[`${prefix}permissions_invented_passed`]).toBe(0);
  }
});
