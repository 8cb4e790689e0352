/** The long version of the property tests: `pnpm properties --runs 1000000 [--seed N]`, spread over all cores. It also writes random sessions to files. */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { runFullSession } from "../compaction/random-sessions/full-session.ts";
import { fullSessionSteps } from "../compaction/random-sessions/steps.ts";
import { commandSequences } from "./commands.ts";
import { replayOn, runInMemory } from "./replay.ts";
import { inMemory, onFaultyDisk, onRealDisk } from "./stores.ts";

const usage = `pnpm properties [--runs N] [--seed N] [--on memory|faulty|disk|filling] [--write FOLDER]

Runs random sessions and compares each with a plain model. Default: 100,000 sessions, a random seed, in memory.

  --on memory   the session is kept in memory
  --on faulty   in a file, on a disk in memory that fills up, fails and loses power
  --on disk     in a file on the real disk
  --on filling  in memory, with messages of any size and compactions of every kind
  --write FOLDER   only writes the sessions, one file each, for tests of code that reads trees of every shape

  pnpm properties --runs 1000000      the nightly run
  pnpm properties --on faulty
  pnpm properties --seed 42           repeat what a failure printed`;

const options = {
  runs: { type: "string", default: "100000" },
  seed: { type: "string" },
  on: { type: "string", default: "memory" },
  part: { type: "string" },
  write: { type: "string" },
  help: { type: "boolean" },
} as const;

const properties = new Map<string, () => fc.IAsyncPropertyWithHooks<[readonly unknown[]]>>([
  ["memory", () => fc.asyncProperty(commandSequences, replayOn(inMemory))],
  ["faulty", () => fc.asyncProperty(commandSequences, replayOn(onFaultyDisk))],
  ["disk", () => fc.asyncProperty(commandSequences, replayOn(onRealDisk))],
  ["filling", () => fc.asyncProperty(fullSessionSteps, runFullSession)],
]);

const { values } = readArguments();
const property = properties.get(values.on) ?? fail(`--on takes memory, faulty, disk or filling, not "${values.on}"`);
if (values.help) console.log(usage);
else if (values.write !== undefined)
  await writeSessions(values.write, whole("runs", values.runs), whole("seed", values.seed ?? "1"));
else if (values.part !== undefined) await replayPart(whole("runs", values.runs), whole("seed", values.seed));
else
  await replayAll(
    whole("runs", values.runs),
    whole("seed", values.seed ?? String(Math.floor(Math.random() * 2 ** 31))),
  );

function readArguments() {
  try {
    return parseArgs({ options });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string | undefined): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < (name === "runs" ? 1 : 0))
    fail(`--${name} takes a whole number, not "${text}"`);
  return number;
}

function fail(why: string): never {
  console.error(`properties: ${why}\n\n${usage}`);
  process.exit(2);
}

async function replayAll(runs: number, seed: number): Promise<void> {
  const parts = availableParallelism();
  const start = performance.now();
  console.log(`${runs} sessions on ${values.on} in ${parts} processes, seed ${seed}`);
  const codes = await Promise.all(
    Array.from({ length: parts }, (_, part) => replayInChildProcess(part, Math.ceil(runs / parts), seed + part)),
  );
  const failed = codes.filter((code) => code !== 0).length;
  console.log(
    `${runs} sessions, ${failed === 0 ? "0 violations" : `${failed} parts failed`}, ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

function replayInChildProcess(part: number, runs: number, seed: number): Promise<number | null> {
  const args = [
    import.meta.filename,
    "--part",
    String(part),
    "--runs",
    String(runs),
    "--seed",
    String(seed),
    "--on",
    values.on,
  ];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  return new Promise((resolve) => child.on("close", resolve));
}

async function replayPart(runs: number, seed: number): Promise<void> {
  const chunk = 5_000;
  for (let done = 0; done < runs; done += chunk) {
    const numRuns = Math.min(chunk, runs - done);
    const result = await fc.check(property(), {
      seed: seed + done,
      numRuns,
      includeErrorInReport: true,
    });
    if (result.failed) {
      console.error(`seed ${seed + done}:\n${fc.defaultReportMessage(result)}`);
      process.exitCode = 1;
      return;
    }
    console.log(`part with seed ${seed}: ${done + numRuns} of ${runs}`);
  }
}

async function writeSessions(folder: string, runs: number, seed: number): Promise<void> {
  for (const [at, commands] of fc.sample(commandSequences, { numRuns: runs, seed }).entries())
    writeFileSync(join(folder, `${at}.jsonl`), (await runInMemory(commands)).bytes());
}
