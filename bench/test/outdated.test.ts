/** Tests that `pnpm eval outdated` prints the tokens that a removal of outdated results frees in the recorded sessions. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("ELI10 pnpm eval outdated prints the tokens saved in three recorded sessions", () => {
  const run = join(root, "evals/src/run.ts");
  const { stdout, status } = spawnSync(process.execPath, [run, "outdated", "--json"], { encoding: "utf8" });
  expect(status).toBe(0);
  const figures = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(figures).toMatchObject({ suite: "outdated", session_results: expect.any(Number) });
  for (const name of ["session", "before_compaction", "large_session"]) {
    expect(figures[`${name}_tokens_saved`]).toBeGreaterThan(0);
    expect(figures[`${name}_tokens_saved`]).toBeLessThan(figures[`${name}_result_tokens`]);
  }
});
