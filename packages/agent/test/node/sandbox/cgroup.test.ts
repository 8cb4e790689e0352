/** The cgroup of a command, in a folder that stands for the kernel's: few machines let tests create one. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createCgroup, findCgroupParent, removeStaleCgroups } from "../../../src/node/sandbox/cgroup.ts";
import { defaultLimits } from "../../../src/node/sandbox/limits.ts";
import { createSandboxFolders, ranIn, sandboxOptions, until } from "../../support/sandbox-folders.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pith-cgroups-"));
  const folder = root;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A cgroup with these controllers for the cgroups in it. */
function addCgroup(path: string, controllers: string): string {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "cgroup.subtree_control"), `${controllers}\n`);
  writeFileSync(join(folder, "cgroup.procs"), "");
  return folder;
}

const limits = { ...defaultLimits(), memoryBytes: 2e9, processes: 800 };

test("BOX34 a command gets a cgroup in the nearest parent that has both controllers", () => {
  writeFileSync(join(root, "cgroup.controllers"), "cpu memory pids\n");
  addCgroup("", "memory pids");
  const slice = addCgroup("user.slice/app.slice", "cpu memory pids");
  addCgroup("user.slice/app.slice/terminal.scope", "");
  expect(findCgroupParent({ root, own: "0::/user.slice/app.slice/terminal.scope\n" })).toBe(slice);
  addCgroup("user.slice/app.slice", "cpu pids");
  expect(findCgroupParent({ root, own: "0::/user.slice/app.slice/terminal.scope\n" })).toBe(root);
});

test.each([
  ["version 1", "memory pids", "4:memory:/user.slice\n"],
  ["a cgroup outside of the container", "memory pids", "0::/../other\n"],
  ["no controllers", "", "0::/\n"],
])("BOX34 with %s there is no cgroup for commands", (_, controllers, own) => {
  writeFileSync(join(root, "cgroup.controllers"), "memory pids\n");
  addCgroup("", controllers);
  expect(findCgroupParent({ root, own })).toBe(null);
});

test("BOX34 without cgroup version 2 there is no cgroup for commands", () => {
  addCgroup("", "memory pids");
  expect(findCgroupParent({ root, own: "0::/\n" })).toBe(null);
});

test("BOX34 the limits are written before the command joins, and it runs in the cgroup", async () => {
  const options = sandboxOptions(createSandboxFolders(), { cgroupParent: root, limits });
  const { end, text } = await ranIn(options, "echo ran");
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "ran\n" });
  const [name = ""] = readdirSync(root);
  const files = ["memory.max", "memory.oom.group", "memory.swap.max", "pids.max", "cgroup.procs"];
  expect(files.map((file) => readFileSync(join(root, name, file), "utf8"))).toEqual([
    "2000000000",
    "1",
    "0",
    "900",
    "0\n",
  ]);
});

test("BOX34 findProblem reports that the kernel killed a process for its memory", async () => {
  const cgroup = createCgroup(root, limits);
  const [name = ""] = readdirSync(root);
  expect(cgroup?.findProblem()).toBe(null);
  writeFileSync(join(root, name, "memory.events"), "low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\n");
  expect(cgroup?.findProblem()).toBe(
    "command killed: its processes used more than 2 GB of memory; the limit is 2 GB (setting sandboxMemoryGB)",
  );
});

test("BOX34 the result of a command that the kernel killed names the limit", async () => {
  const mark = `3${process.pid}.5`;
  const running = ranIn(
    sandboxOptions(createSandboxFolders(), { cgroupParent: root, limits }),
    `echo started; sleep ${mark}`,
  );
  const findPids = (): readonly number[] =>
    spawnSync("pgrep", ["-f", `sleep ${mark}`], { encoding: "utf8" })
      .stdout.split("\n")
      .map(Number)
      .filter(Boolean);
  await until(() => findPids().length > 0);
  const [name = ""] = readdirSync(root);
  writeFileSync(join(root, name, "memory.events"), "oom_kill 1\n");
  // The first one that is killed may end the others.
  spawnSync("kill", ["-9", ...findPids().map(String)]);
  const { end } = await running;
  expect(end).toEqual({
    type: "killed",
    cause: "limit",
    message: expect.stringContaining("(setting sandboxMemoryGB)"),
  });
});

test("BOX34 a cgroup that cannot be created or joined does not stop a command", async () => {
  const folders = createSandboxFolders();
  expect((await ranIn(sandboxOptions(folders, { cgroupParent: join(root, "missing") }), "echo ran")).text).toBe(
    "ran\n",
  );
  const cgroup = createCgroup(root, limits);
  const [name = ""] = readdirSync(root);
  mkdirSync(join(root, name, "cgroup.procs"));
  const [shell = "", ...words] = cgroup?.prefix ?? [];
  const { stdout, stderr } = spawnSync(shell, [...words, "/bin/echo", "ran"], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "ran\n", stderr: "" });
});

test("BOX34 an empty cgroup is removed after its command, or by a later session", async () => {
  mkdirSync(join(root, `pith-${process.pid}-7`));
  mkdirSync(join(root, "pith-999999999-1"));
  removeStaleCgroups(root);
  expect(readdirSync(root)).toEqual([`pith-${process.pid}-7`]);
  const cgroup = createCgroup(root, limits);
  const created = readdirSync(root).filter((name) => !name.endsWith("-7"));
  for (const name of created) for (const file of readdirSync(join(root, name))) rmSync(join(root, name, file));
  await cgroup?.remove();
  expect(readdirSync(root)).toEqual([`pith-${process.pid}-7`]);
});
