/** Leases among real processes on a real disk: one has it, and it is free at once when that one is gone. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { realFiles } from "../../src/node/files.ts";
import {
  acquireLease,
  type Lease,
  type LeaseOptions,
  type LeaseOwner,
  type LeaseResult,
  realProcessTable,
} from "../../src/node/lease.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { contend, startLeaseChild } from "./lease/children.ts";

const parts: LeaseOptions = { ...nodeRuntime, files: realFiles, processes: realProcessTable };
const self = realProcessTable.self(0);
const onLinux = test.skipIf(process.platform !== "linux");

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "lease-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "a session.jsonl");
}

function leaseIn(leasing: LeaseResult): Lease {
  if (leasing.type !== "leased") throw new Error(`held by ${leasing.owner.pid}`);
  return leasing.lease;
}

/** What comes of taking a lease whose file says this. */
function afterFinding(content: string): LeaseResult["type"] {
  const path = freshPath();
  writeFileSync(`${path}.lease.3`, content);
  return acquireLease(path, parts).type;
}
const afterOwner = (change: Partial<LeaseOwner>): LeaseResult["type"] =>
  afterFinding(JSON.stringify({ ...self, ...change }));

describe("one process after the other", () => {
  test("acquired, reported with its owner, released, and acquired again with a higher token", () => {
    const path = freshPath();
    const first = leaseIn(acquireLease(path, { ...parts, now: () => 42 }));
    const owner = { ...self, since: 42 };
    expect(acquireLease(path, parts)).toEqual({ type: "held", owner });
    expect(owner).toMatchObject({ pid: process.pid, host: hostname() });
    expect(first.isHeld()).toBe(true);
    first.release();
    expect(first.isHeld()).toBe(false);
    const second = leaseIn(acquireLease(path, parts));
    expect(second.token).toBeGreaterThan(first.token);
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  });

  test("one file stays beside the session, held or released", () => {
    const path = freshPath();
    const left = () => readdirSync(join(path, ".."));
    for (const token of [1, 3, 5]) {
      const lease = leaseIn(acquireLease(path, parts));
      expect([lease.token, left()]).toEqual([token, [`a session.jsonl.lease.${token}`]]);
      acquireLease(path, parts);
      lease.release();
      expect(left()).toEqual([`a session.jsonl.lease.${token + 1}`]);
    }
  });

  test("a second release does not release the lease of another process", () => {
    const path = freshPath();
    const first = leaseIn(acquireLease(path, parts));
    first.release();
    const second = leaseIn(acquireLease(path, parts));
    first.release();
    expect(second.isHeld()).toBe(true);
  });

  test("DISK6 a lease that was removed by hand is lost, even if the next file reuses its inode", () => {
    const path = freshPath();
    for (let round = 0; round < 20; round++) {
      const first = leaseIn(acquireLease(path, parts));
      for (const name of readdirSync(join(path, ".."))) rmSync(join(path, "..", name));
      const second = leaseIn(acquireLease(path, parts));
      expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
      second.release();
    }
  });

  test("sessions in one folder have independent leases", () => {
    const path = freshPath();
    const leases = [path, `${path}.lease.1`, `${path}x`].map((each) => leaseIn(acquireLease(each, parts)));
    expect(leases.map((lease) => [lease.token, lease.isHeld()])).toEqual(leases.map(() => [1, true]));
  });

  test("the lease of a live owner can be taken over, and the owner notices", () => {
    const path = freshPath();
    const old = leaseIn(acquireLease(path, parts));
    const young = leaseIn(acquireLease(path, { ...parts, takeOver: true }));
    expect([old.isHeld(), young.isHeld()]).toEqual([false, true]);
    old.release();
    expect(young.isHeld()).toBe(true);
    expect(acquireLease(path, parts).type).toBe("held");
  });

  test("new files of dead owners are removed; those of live owners and unfinished ones stay", () => {
    const path = freshPath();
    writeFileSync(`${path}.lease.aa.new`, JSON.stringify({ ...self, started: "1" }));
    writeFileSync(`${path}.lease.bb.new`, JSON.stringify(self));
    writeFileSync(`${path}.lease.cc.new`, "");
    acquireLease(path, parts);
    const names = ["1", "bb.new", "cc.new"].map((end) => `a session.jsonl.lease.${end}`);
    expect(readdirSync(join(path, "..")).sort()).toEqual(names);
  });
});

describe("existing lease files", () => {
  test("a torn or empty file has no owner", () => {
    const torn = JSON.stringify(self).slice(0, -5);
    expect(["", "\n", torn, "\0\0\0"].map(afterFinding)).toEqual(["leased", "leased", "leased", "leased"]);
  });

  test("DISK6 the lease of a reused pid is free; that of the same process is not", () => {
    expect(afterOwner({ started: `${self.started}0` })).toBe("leased");
    expect(afterOwner({ pid: 1 })).toBe("leased");
    expect(afterOwner({})).toBe("held");
  });

  onLinux("one from before the machine was started again is free", () => {
    expect(afterOwner({ machine: `not-${self.machine}` })).toBe("leased");
  });

  onLinux("one of another host or another pid namespace is held", () => {
    expect(afterOwner({ host: "elsewhere", pid: 4_000_000 })).toBe("held");
    const [boot] = self.machine.split(" ");
    expect(afterOwner({ machine: `${boot} pid:[1]`, pid: 4_000_000 })).toBe("held");
  });
});

describe("several processes", () => {
  test("DISK6 the lease of a process killed with SIGKILL is free at once", async () => {
    const path = freshPath();
    const child = await startLeaseChild();
    expect(await child.take(path)).toMatchObject({ type: "leased", lease: { token: 1 } });
    expect(acquireLease(path, parts)).toMatchObject({ type: "held", owner: { pid: child.pid, host: hostname() } });
    await child.kill();
    expect(leaseIn(acquireLease(path, parts)).token).toBe(2);
  });

  test("of eight processes that compete for a dead owner's lease exactly one gets it", async () => {
    const path = freshPath();
    const children = await Promise.all(Array.from({ length: 8 }, startLeaseChild));
    for (let round = 0; round < 40; round += 1) {
      const at = `${path}-${round}`;
      writeFileSync(`${at}.lease.3`, JSON.stringify({ ...self, started: "1" }));
      const answers = await Promise.all(children.map((child) => child.take(at)));
      const winner = children[answers.findIndex((answer) => answer.type === "leased")]?.pid;
      const losers = answers.filter((answer) => answer.type === "held").map((answer) => answer.owner.pid);
      expect(losers).toEqual(Array.from({ length: 7 }, () => winner));
    }
  });

  test.each([
    { where: "an otherwise empty folder", others: 0, times: 40 },
    { where: "a folder whose listing takes several calls", others: 500, times: 12 },
  ])(
    "of eight processes that acquire and release in turn, never two hold the lease, in $where",
    async ({ others, times }) => {
      const path = freshPath();
      const folder = join(path, "..");
      for (let other = 0; other < others; other += 1) writeFileSync(join(folder, `${"other".repeat(20)}-${other}`), "");
      const tokens = (await Promise.all(Array.from({ length: 8 }, () => contend(path, times)))).flat();
      expect(new Set(tokens).size).toBe(8 * times);
      expect(readdirSync(folder)).toHaveLength(others + 1);
    },
  );
});
