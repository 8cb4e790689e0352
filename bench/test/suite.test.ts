/** Tests the command line of benchmarks and evaluations. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const evals = join(import.meta.dirname, "../../evals/src/run.ts");
const runEval = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [evals, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

test("--json prints one line with the figures as an object", () => {
  const { status, stdout } = runEval("reading", "--quick", "--json", "--seed", "3");
  expect(status).toBe(0);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({
    suite: "reading",
    seed: 3,
    quick: true,
    files: 4,
    damaged_lines: 0,
    reachable: 1,
    bytes_kept: 1,
    violations: 0,
  });
});

test("pnpm eval gives the same figures for the same seed", () => {
  const figures = () => ({ ...JSON.parse(runEval("reading", "--quick", "--json", "--seed", "5").stdout), seconds: 0 });
  expect(figures()).toEqual(figures());
});

test.each([
  [["nothing"], 2, 'unknown suite "nothing"'],
  [[], 2, "name a suite"],
  [["reading", "--seed", "x"], 1, '--seed takes a whole number, not "x"'],
  [["reading", "--corpus", "/nowhere/at/all"], 1, "no such folder"],
  [["reading", "--corpus", evals], 1, "is a file. Give the folder that contains it."],
  [["reading", "--corpus", import.meta.dirname], 1, "no .jsonl file below it"],
  [["reading", "--fast"], 1, "Unknown option '--fast'"],
])("pnpm eval %j exits with a message about what is invalid", (args, status, sentence) => {
  const answer = runEval(...args);
  expect(answer.status).toBe(status);
  expect(answer.stderr).toContain(sentence);
});

test("--help shows suites, options and an example", () => {
  const { status, stdout } = runEval("--help");
  expect(status).toBe(0);
  for (const part of ["reading  ", "--quick", "--json", "--seed N", "--corpus DIR", "pnpm eval reading --quick --json"])
    expect(stdout).toContain(part);
});
