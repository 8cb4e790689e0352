/** Tests leases step by step: one process is stopped before each of its operations on disk, and others run in between. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Files, realFiles } from "../../../src/node/files.ts";
import { acquireLease, type Lease, type LeaseOwner, type LeaseResult } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";

const SLOW = 10;

/** Every step of a taker whom nobody disturbs. */
function stepsAlone(): readonly number[] {
  const steps: number[] = [];
  simulateLease().lease(SLOW, { files: watchFiles(() => void steps.push(steps.length + 1)) });
  return steps;
}

function released(leasing: LeaseResult): LeaseResult {
  if (leasing.type === "leased") leasing.lease.release();
  return leasing;
}

/** Who has it after a slow taker was stopped before this step for what others did. */
function runWithPause(step: number, others: (on: LeaseSimulation) => readonly LeaseResult[]) {
  const on = simulateLease();
  let between: readonly LeaseResult[] = [];
  const files = callAtStep(step, () => {
    between = others(on);
  });
  const all = [on.take(SLOW, { files }), ...between];
  const tokens = all.flatMap((leasing) => (leasing.type === "leased" ? [leasing.lease.token] : []));
  const holding = all.flatMap((leasing) =>
    leasing.type === "leased" && leasing.lease.isHeld() ? [leasing.lease] : [],
  );
  return { step, holding, highest: Math.max(...tokens), left: on.listFiles() };
}

describe("whenever other processes interfere, exactly one holds the lease in the end, with the highest number", () => {
  test.each<[string, (on: LeaseSimulation) => readonly LeaseResult[]]>([
    ["another takes it", (on) => [on.take(2)]],
    ["another takes it and gives it back", (on) => [released(on.take(2))]],
    ["another gives it back and a third takes it", (on) => [released(on.take(2)), on.take(3)]],
    ["two give it back and a third takes it", (on) => [released(on.take(2)), released(on.take(3)), on.take(4)]],
    ["another takes it over", (on) => [on.take(2, { takeOver: true })]],
    ["another takes it and a third takes it over", (on) => [on.take(2), on.take(3, { takeOver: true })]],
  ])("%s", (_tale, others) => {
    for (const step of stepsAlone()) {
      const { holding, highest, left } = runWithPause(step, others);
      expect({ step, tokens: holding.map((lease) => lease.token), left }).toEqual({
        step,
        tokens: [highest],
        left: [String(highest)],
      });
    }
  });

  test("another process acquires it and dies", () => {
    for (const step of stepsAlone()) {
      const { holding, left } = runWithPause(step, (on) => {
        const taken = on.take(2);
        on.endProcess(2);
        return taken.type === "held" ? [taken] : [];
      });
      expect({ step, left }).toEqual({ step, left: holding.map((lease) => String(lease.token)) });
      expect(holding).toHaveLength(1);
    }
  });
});

describe("a process that listed the folder long ago", () => {
  test("cannot get a number that was released meanwhile", () => {
    const on = simulateLease();
    const slow = on.lease(SLOW, { files: onceBefore("link", () => on.lease(2).release()) });
    expect([slow.token, slow.isHeld(), on.listFiles()]).toEqual([8, true, ["8"]]);
  });

  test("does not make a former holder see itself as the holder", () => {
    const on = simulateLease();
    let robbed: Lease | undefined;
    let isHeld: boolean | undefined;
    const files = onceBefore("link", () => {
      robbed = on.lease(2);
      on.lease(3, { takeOver: true });
    });
    const link: Files["link"] = (from, to) => {
      files.link(from, to);
      expect(to).toMatch(/6$/);
      isHeld = robbed?.isHeld();
    };
    expect(on.take(SLOW, { files: { ...files, link } })).toMatchObject({ type: "held", owner: { pid: 3 } });
    expect([isHeld, on.listFiles()]).toEqual([false, ["7"]]);
  });
});

describe("a listing that missed concurrent changes", () => {
  test("hides no holder: every process lists the folder again after writing its number", () => {
    const on = simulateLease();
    const holder = on.lease(2);
    expect(on.take(SLOW, { files: blind({ looks: 2, to: /\d$/ }) })).toMatchObject({ type: "held", owner: { pid: 2 } });
    expect([holder.isHeld(), on.listFiles()]).toEqual([true, ["6"]]);
  });

  test("hides no earlier number: if the previous one is gone, another process was here", () => {
    const on = simulateLease();
    const late = onceBefore("link", () => on.lease(2).release());
    const files = { ...late, list: blind({ looks: 3, to: /7$/ }).list };
    expect(on.lease(SLOW, { files }).token).toBe(8);
  });

  const tooLow = (on: LeaseSimulation): Lease => on.lease(SLOW, { files: blind({ looks: 3, to: /[57]$/ }) });

  test("admits no second holder beside one whose number is too low", () => {
    const on = simulateLease();
    on.lease(2).release();
    const low = tooLow(on);
    expect([low.token, low.isHeld()]).toEqual([1, true]);
    expect(on.take(3)).toMatchObject({ type: "held", owner: { pid: SLOW } });
    low.release();
    expect(on.lease(3).token).toBe(8);
    expect(on.listFiles()).toEqual(["8"]);
  });

  test("admits no process that listed the folder before such a holder came", () => {
    const on = simulateLease();
    on.lease(2).release();
    let low: Lease | undefined;
    const files = onceBefore("link", () => {
      low = tooLow(on);
    });
    expect(on.take(3, { files })).toMatchObject({ type: "held", owner: { pid: SLOW } });
    expect(low?.isHeld()).toBe(true);
  });
});

describe("disk errors", () => {
  const failure = () => {
    throw Object.assign(new Error("the disk failed"), { code: "EIO" });
  };

  test("at any step leave the lease free for the next process and the count unchanged", () => {
    for (const step of stepsAlone()) {
      const on = simulateLease();
      const outcome = attempt(() => on.lease(SLOW, { files: callAtStep(step, failure) }));
      const lease = outcome ?? on.lease(2);
      expect({ step, token: lease.token, holds: lease.isHeld() }).toEqual({ step, token: 6, holds: true });
    }
  });

  test("at any step of a release allow another attempt", () => {
    for (const step of [1, 2, 3, 4, 5]) {
      const on = simulateLease();
      let steps = Number.NEGATIVE_INFINITY;
      const files = watchFiles(() => {
        steps += 1;
        if (steps === step) failure();
      });
      const lease = on.lease(SLOW, { files });
      steps = 0;
      attempt(() => lease.release());
      lease.release();
      expect({ step, holds: lease.isHeld() }).toEqual({ step, holds: false });
      expect(on.lease(2).token).toBeGreaterThan(lease.token);
    }
  });

  test("that truncate the owner leave neither a number nor a new file", () => {
    const on = simulateLease();
    const create: Files["create"] = (path) => {
      const file = realFiles.create(path);
      return { ...file, append: (bytes) => file.append(bytes.subarray(9)) };
    };
    expect(() => on.take(SLOW, { files: { ...realFiles, create } })).toThrow("cut short");
    expect(on.listFiles()).toEqual(["5"]);
  });
});

function attempt<Outcome>(act: () => Outcome): Outcome | null {
  try {
    return act();
  } catch (error) {
    expect(String(error)).toContain("the disk failed");
    return null;
  }
}

function onceBefore(act: keyof Files, then: () => void): Files {
  let done = false;
  return watchFiles((next) => {
    if (done || next !== act) return;
    done = true;
    then();
  });
}

/** Its first looks at a folder miss the names that end so. */
function blind({ looks, to }: { readonly looks: number; readonly to: RegExp }): Files {
  let left = looks;
  const list: Files["list"] = (folder) => {
    left -= 1;
    return realFiles.list(folder).filter((name) => left < 0 || !to.test(name));
  };
  return { ...realFiles, list };
}

interface LeaseSimulation {
  take(pid: number, how?: TakeOptions): LeaseResult;
  /** Takes the lease, or fails the test. */
  lease(pid: number, how?: TakeOptions): Lease;
  endProcess(pid: number): void;
  /** The lease files beside the session, without the common prefix. */
  listFiles(): readonly string[];
}

interface TakeOptions {
  readonly files?: Files;
  readonly takeOver?: boolean;
}

function simulateLease(): LeaseSimulation {
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
function watchFiles(before: (act: keyof Files) => void): Files {
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
function callAtStep(step: number, then: () => void): Files {
  let steps = 0;
  return watchFiles(() => {
    steps += 1;
    if (steps === step) then();
  });
}

function createOwner(pid: number): LeaseOwner {
  return { pid, started: "1", host: "here", machine: "", since: 0 };
}
