/** Runs in each test worker, before the tests of a file. Measures the file for the reporter. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, expect } from "vitest";

/** What a test file took. Times are in milliseconds. */
export interface FileMeasure {
  readonly wall: number;
  /** The CPU time of the worker and of the programs that it started. */
  readonly cpu: number;
  /** The calls of `expect`, and of Node's `assert`. */
  readonly checks: number;
}

declare module "vitest" {
  interface TaskMeta {
    measure?: FileMeasure;
  }
}

interface Worker {
  /** When the previous file of this worker ended. */
  previousEnd?: { readonly wall: number; readonly cpu: number };
  assertCalls?: number;
}

const worker = globalThis as Worker;
if (worker.assertCalls === undefined) countAssertCalls();
const start = { ...(worker.previousEnd ?? { wall: 0, cpu: 0 }), assertCalls: worker.assertCalls ?? 0 };
let expectCalls = 0;

afterEach((context) => {
  expectCalls += Math.max(expect.getState().assertionCalls, context.expect.getState().assertionCalls);
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest requires a pattern that names the fixtures.
afterAll(({}, suite) => {
  const end = { wall: performance.now(), cpu: readCpuTime() };
  worker.previousEnd = end;
  const checks = expectCalls + (worker.assertCalls ?? 0) - start.assertCalls;
  suite.meta.measure = { wall: end.wall - start.wall, cpu: end.cpu - start.cpu, checks };
});

/** The CPU time of this process and of its ended children; where there is no `/proc`, without the children. */
function readCpuTime(): number {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // utime, stime, cutime and cstime, in hundredths of a second. The name before them, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

function countAssertCalls(): void {
  worker.assertCalls = 0;
  const functions = assert as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of [
    "ok",
    "equal",
    "notEqual",
    "deepEqual",
    "notDeepEqual",
    "match",
    "doesNotMatch",
    "throws",
    "rejects",
  ]) {
    const original = functions[name];
    functions[name] = (...args) => {
      worker.assertCalls = (worker.assertCalls ?? 0) + 1;
      return original?.(...args);
    };
  }
}
