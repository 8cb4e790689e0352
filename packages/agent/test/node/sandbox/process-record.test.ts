/** Tests node/sandbox/process-record.ts: whether a process has ended, with and without /proc. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { currentProcess, hasEnded } from "../../../src/node/sandbox/placeholders.ts";

describe.each([
  ["Linux", "/proc"],
  ["a system without /proc", "/no-proc"],
])("on %s", (_, proc) => {
  test("PLAT11 a process that runs has not ended, and one that is gone has", async () => {
    const own = currentProcess(proc);
    expect(hasEnded(own, proc)).toBe(false);
    const child = spawn("true");
    await once(child, "exit");
    expect(hasEnded({ ...own, pid: child.pid ?? 0 }, proc)).toBe(true);
  });
});
