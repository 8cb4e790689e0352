/** Runs in each test worker, before the tests of a file. Fails a file that leaves a global changed, because the next file uses the same worker. */

import { afterAll, expect, vi } from "vitest";

const before = readGlobals();

afterAll(() => {
  expect(vi.isFakeTimers(), "the file leaves fake timers: call vi.useRealTimers()").toBe(false);
  expect(readGlobals(), "the file leaves globals changed that the next file of this worker sees").toEqual(before);
});

function readGlobals() {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  return { cwd: process.cwd(), umask: process.umask(), exitCode: process.exitCode, env: Object.fromEntries(variables) };
}
