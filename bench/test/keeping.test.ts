/** Tests the short version of `pnpm eval keeping`: no figure may be below its promise. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const evals = join(import.meta.dirname, "../../evals/src/run.ts");
const keeping = (...args: readonly string[]): Record<string, number> =>
  JSON.parse(
    spawnSync(process.execPath, [evals, "keeping", "--quick", "--json", ...args], { encoding: "utf8" }).stdout,
  );

test("KEEP1 KEEP2 KEEP5 KEEP6 LED2 LED5 planted rules, pins, files, the last checks and open errors remain after ten compactions", () => {
  const figures = keeping("--seed", "7");
  for (const name of [
    "rules_in_files",
    "rules_in_system",
    "user_words",
    "pins",
    "files",
    "checks",
    "errors",
    "prefix_kept",
  ])
    expect([name, figures[name]]).toEqual([name, 1]);
  expect(figures.front_growth_20).toBeLessThanOrEqual(1);
  expect(figures.small_window_evicted).toBeGreaterThan(0);
  expect(figures.small_window_unnamed).toBe(0);
});

test("KEEP2 LED2 pnpm eval keeping accepts facts from a file, and reports facts that are not kept", () => {
  const file = join(mkdtempSync(join(tmpdir(), "pith-facts-")), "facts.json");
  const rules = { files: ["Use tabs."], system: ["Be brief."], chat: ["Never touch <main>."], pins: ["Ask\nfirst."] };
  const files = [{ path: "src/a b.ts", did: "modified" }];
  writeFileSync(file, JSON.stringify({ rules, files, commands: [{ command: "make all", exitCode: 2 }] }));
  expect(keeping("--facts", file)).toMatchObject({
    user_words: 1,
    pins: 1,
    files: 1,
    files_named: 1,
    checks: 1,
    errors: 1,
  });
});
