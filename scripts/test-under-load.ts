/**
 * `pnpm test:load [FILE…]`: runs the test files that depend most on the speed of the machine five times, while one process per core keeps
 * all cores busy. Fails if a run fails.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { formatCount } from "./fault.ts";

/** They start many processes, wait for time limits of the program, or compare durations. */
const FILES: readonly string[] = [
  "packages/agent/test/compaction/reread-files.test.ts",
  "packages/agent/test/compaction/random-preparations.test.ts",
  "packages/agent/test/loop/abort.test.ts",
  "packages/agent/test/loop/stopped-calls.test.ts",
  "packages/agent/test/node/sandbox/sandbox.test.ts",
  "packages/agent/test/node/sandbox-network/network.test.ts",
  "packages/agent/test/node/sandbox-network/proxy.test.ts",
  "packages/agent/test/tools/edit/edit.test.ts",
  "packages/cli/test/mcp/client.test.ts",
  "packages/cli/test/sandbox/sandbox-runtime.test.ts",
  "packages/cli/test/text/jsonc.test.ts",
  "packages/context/test/secrets/vault.test.ts",
];

const RUNS = 5;

const root = join(import.meta.dirname, "..");

async function testUnderLoad(files: readonly string[]): Promise<void> {
  const loops = Array.from({ length: availableParallelism() }, startBusyLoop);
  const end = (): void => {
    for (const loop of loops) loop.kill("SIGKILL");
  };
  process.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  let failures = 0;
  for (const file of files)
    for (let run = 1; run <= RUNS; run += 1) {
      const start = performance.now();
      const { code, output } = await runVitest(file);
      const seconds = Math.round((performance.now() - start) / 1_000);
      console.log(`${code === 0 ? "passed" : "FAILED"} ${file} (run ${run} of ${RUNS}, ${seconds} s)`);
      if (code === 0) continue;
      failures += 1;
      console.log(output);
    }
  end();
  console.log(`\n${formatCount(files.length * RUNS, "run")} under load, ${failures} failed`);
  process.exitCode = failures > 0 ? 1 : 0;
}

/** Ends with this process, even if that is killed. */
function startBusyLoop(): ChildProcess {
  const script = `while kill -0 ${process.pid} 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done`;
  return spawn("sh", ["-c", script], { stdio: "ignore" });
}

function runVitest(file: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, [vitest, "run", file], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, output }));
  });
}

const chosen = process.argv.slice(2);
await testUnderLoad(chosen.length > 0 ? chosen : FILES);
