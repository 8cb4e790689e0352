/** Tests whether an owner counts as alive: only certainty counts as ended. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LeaseOwner, parseOwner, realProcessTable } from "../../src/node/lease.ts";

const self = realProcessTable.self(7);
const isAlive = (change: Partial<LeaseOwner>): boolean => realProcessTable.isAlive({ ...self, ...change });
const onLinux = test.skipIf(process.platform !== "linux");
const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? "";

test("an owner contains its pid, host and time", () => {
  expect(self).toMatchObject({ pid: process.pid, host: hostname(), since: 7 });
  expect(parseOwner(JSON.stringify(self))).toEqual(self);
});

describe("on this machine", () => {
  test("a running process is alive at every check", () => {
    expect([isAlive({}), isAlive({ since: 0 }), isAlive({ started: "" })]).toEqual([true, true, true]);
  });

  test("a pid with another start time is reused, so its former owner has ended", () => {
    expect(isAlive({ started: `${self.started}0` })).toBe(false);
    expect(isAlive({ pid: 1 })).toBe(false);
  });

  onLinux("a process of another user is alive under its own start time", () => {
    expect(isAlive({ pid: 1, started: startOf(1) })).toBe(true);
  });

  test("a killed and reaped process has ended", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    const pid = child.pid ?? 0;
    await once(child, "exit");
    expect([isAlive({ pid }), isAlive({ pid, started: "" })]).toEqual([false, false]);
  });

  onLinux("a zombie has ended", async () => {
    // The shell's child ends while the shell, turned into sleep, never asks for its fate.
    const parent = spawn("/bin/sh", ["-c", "sleep 0.05 & echo $!; exec sleep 20"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = await once(parent.stdout, "data");
    const pid = Number(line);
    for (let tries = 0; tries < 3_000 && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8")); tries += 1)
      await wait(10);
    expect(readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z");
    expect(isAlive({ pid, started: startOf(pid) })).toBe(false);
  });

  onLinux("a command named like the rest of its line is read to the right bracket", async () => {
    const folder = mkdtempSync(join(tmpdir(), "owner-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, "a) Z 1 (b) ");
    copyFileSync(existsSync("/bin/sleep") ? "/bin/sleep" : "/usr/bin/sleep", program);
    const child = spawn(program, ["20"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = child.pid ?? 0;
    await once(child, "spawn");
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    expect(stat).toContain("(a) Z 1 (b) )");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    expect([isAlive({ pid, started }), isAlive({ pid, started: "1" })]).toEqual([true, false]);
  });
});

describe("on another machine", () => {
  const [boot = "", namespace = ""] = self.machine.split(" ");

  test("a process of another host counts as alive, whatever its pid", () => {
    expect(isAlive({ host: `not-${self.host}`, pid: 4_000_000, machine: "other pid:[1]" })).toBe(true);
  });

  onLinux("the same host before it was started again has ended", () => {
    expect(isAlive({ machine: `not-${boot} ${namespace}` })).toBe(false);
  });

  onLinux("another pid namespace of the same boot cannot be judged", () => {
    expect(isAlive({ machine: `${boot} pid:[1]`, pid: 4_000_000 })).toBe(true);
  });

  onLinux("an unknown boot cannot be judged", () => {
    expect([isAlive({ machine: "", pid: 4_000_000 }), isAlive({ machine: ` ${namespace}x` })]).toEqual([true, true]);
  });
});

test("an invalid text gives no owner", () => {
  const texts = ["", "{", "null", "7", "[]", '{"released":true}', JSON.stringify({ ...self, pid: -1 })];
  expect(texts.map(parseOwner)).toEqual(texts.map(() => null));
  expect(parseOwner(JSON.stringify({ ...self, host: undefined }))).toBe(null);
});
