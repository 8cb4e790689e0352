/** `node scripts/run-examples.ts [ROOT]`: runs every example in order, those in folders last, and prints the output of a failing one. */

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const LIMIT_SECONDS = 60;
const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const outcomes = listExamples().map(runExample);
const failed = outcomes.filter((passed) => !passed).length;
if (outcomes.length === 0) console.log("there are no examples");
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || outcomes.length === 0 ? 1 : 0;

function listExamples(): string[] {
  const folder = join(root, "examples");
  const names = existsSync(folder) ? readdirSync(folder, { encoding: "utf8", recursive: true }) : [];
  return names.filter((name) => name.endsWith(".ts")).toSorted();
}

function runExample(name: string): boolean {
  const start = performance.now();
  const run = spawnSync(process.execPath, [join("examples", name)], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_SECONDS * 1000,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? "ok" : "failed"} ${name} (${seconds} s)`);
  if (run.status !== 0)
    console.log([run.stdout, run.stderr, describeEnd(run)].filter((text) => text !== "").join("\n"));
  return run.status === 0;
}

function describeEnd({ status, signal, error }: SpawnSyncReturns<string>): string {
  if (error) return error.message.includes("ETIMEDOUT") ? `ended after ${LIMIT_SECONDS} s` : error.message;
  return `ended with ${signal ?? `exit code ${status}`}`;
}
