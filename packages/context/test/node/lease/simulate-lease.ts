/** Simulates processes that want one lease, whose last owner (number 5) has died, on a disk that calls back before each operation. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Files, realFiles } from "../../../src/node/files.ts";
import type { LeaseOwner } from "../../../src/node/lease.ts";
import { acquireLease, type Lease, type LeaseResult } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

export interface LeaseSimulation {
  take(pid: number, how?: TakeOptions): LeaseResult;
  /** Takes the lease, or fails the test. */
  lease(pid: number, how?: TakeOptions): Lease;
  endProcess(pid: number): void;
  /** The lease files beside the session, without the common prefix. */
  listFiles(): readonly string[];
}

export interface TakeOptions {
  readonly files?: Files;
  readonly takeOver?: boolean;
}

export function simulateLease(): LeaseSimulation {
  const folder = mkdtempSync(join(tmpdir(), "stage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "s");
  writeFileSync(`${path}.lease.5`, JSON.stringify(createOwner(1)));
  const dead = new Set([1]);
  const take = (pid: number, how: TakeOptions = {}): LeaseResult => {
    const processes = { self: () => createOwner(pid), isAlive: (owner: LeaseOwner) => !dead.has(owner.pid) };
    return acquireLease(path, { ...nodeRuntime, files: realFiles, processes, ...how });
  };
  return {
    take,
    lease: (pid, how) => requireLease(take(pid, how)),
    endProcess: (pid) => void dead.add(pid),
    listFiles: () => readdirSync(folder).map((name) => name.slice("s.lease.".length)),
  };
}

function requireLease(leasing: LeaseResult): Lease {
  if (leasing.type !== "leased") throw new Error(`held by ${leasing.owner.pid}`);
  return leasing.lease;
}

/** Real files that call `before` ahead of each operation; if it throws, the operation does not run. */
export function watchFiles(before: (act: keyof Files) => void): Files {
  const acts = Object.entries(realFiles).map(([act, run]) => [
    act,
    (...given: readonly unknown[]) => {
      before(act as keyof Files);
      return Reflect.apply(run, realFiles, given);
    },
  ]);
  return Object.fromEntries(acts);
}

/** Real files that call `then` once, before the operation with this number. */
export function callAtStep(step: number, then: () => void): Files {
  let steps = 0;
  return watchFiles(() => {
    steps += 1;
    if (steps === step) then();
  });
}

function createOwner(pid: number): LeaseOwner {
  return { pid, started: "1", host: "here", machine: "", since: 0 };
}
