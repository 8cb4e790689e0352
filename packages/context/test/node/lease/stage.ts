/** A path to be leased whose last owner, of number 5, has died; actors who want it, told by their pids; and a disk that calls out. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Files, realFiles } from "../../../src/node/files.ts";
import type { LeaseOwner } from "../../../src/node/lease.ts";
import { acquireLease, type Lease, type LeaseResult } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

export interface Stage {
  take(pid: number, how?: Manner): LeaseResult;
  /** Taken, or the test fails. */
  lease(pid: number, how?: Manner): Lease;
  dies(pid: number): void;
  /** What is beside the session, by the ends of the names. */
  left(): readonly string[];
}

export interface Manner {
  readonly files?: Files;
  readonly takeOver?: boolean;
}

export function stage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), "stage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "s");
  writeFileSync(`${path}.lease.5`, JSON.stringify(ownerCalled(1)));
  const dead = new Set([1]);
  const take = (pid: number, how: Manner = {}): LeaseResult => {
    const processes = { self: () => ownerCalled(pid), isAlive: (owner: LeaseOwner) => !dead.has(owner.pid) };
    return acquireLease(path, { ...nodeRuntime, files: realFiles, processes, ...how });
  };
  return {
    take,
    lease: (pid, how) => leaseIn(take(pid, how)),
    dies: (pid) => void dead.add(pid),
    left: () => readdirSync(folder).map((name) => name.slice("s.lease.".length)),
  };
}

export function leaseIn(leasing: LeaseResult): Lease {
  if (leasing.type !== "leased") throw new Error(`held by ${leasing.owner.pid}`);
  return leasing.lease;
}

/** Real files that call out before each act; a throw takes the act's place. */
export function watched(before: (act: keyof Files) => void): Files {
  const acts = Object.entries(realFiles).map(([act, run]) => [
    act,
    (...given: readonly unknown[]) => {
      before(act as keyof Files);
      return Reflect.apply(run, realFiles, given);
    },
  ]);
  return Object.fromEntries(acts);
}

/** Real files that call out once: before the act that comes so late in the order. */
export function stoppedAt(step: number, then: () => void): Files {
  let steps = 0;
  return watched(() => {
    steps += 1;
    if (steps === step) then();
  });
}

function ownerCalled(pid: number): LeaseOwner {
  return { pid, started: "1", host: "here", machine: "", since: 0 };
}
