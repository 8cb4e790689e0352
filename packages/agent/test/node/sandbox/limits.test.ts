/** What happens to commands that use much memory, many processes or much of the private `/tmp`. */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandLimits, defaultLimits, limitProcessesScript } from "../../../src/node/sandbox/limits.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import { bashTool } from "../../../src/tools/bash/bash.ts";
import {
  createSandboxFolders,
  ranIn,
  type SandboxFolders,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";

const MB = 1e6;

function limitedOptions(folders: SandboxFolders, limits: Partial<CommandLimits>) {
  return sandboxOptions(folders, { limits: { ...defaultLimits(), ...limits } });
}

/** Allocates memory, reports it and waits. */
const allocate = (megabytes: number): string =>
  `"$NODE" -e 'global.kept = Buffer.alloc(${megabytes}e6, 1); console.log("allocated"); setTimeout(() => {}, 30000)'`;

/** Whether a process of this machine has the text in its command line. */
function isRunning(mark: string): boolean {
  const [command = "", ...words] = ["pgrep", "-f", mark];
  try {
    execFileSync(command, words);
    return true;
  } catch {
    return false;
  }
}

test("BOX34 a command that uses more memory than the limit is killed with all its processes, and the message names the setting", async () => {
  const mark = `3${process.pid}.25`;
  const options = limitedOptions(createSandboxFolders(), { memoryBytes: 150 * MB });
  const { end, text } = await ranIn(options, `echo started; setsid sleep ${mark} & ${allocate(200)}`);
  expect(end).toMatchObject({ type: "killed", cause: "limit" });
  expect(end).toHaveProperty(
    "message",
    expect.stringMatching(
      /^command killed: its processes used 0\.\d+ GB of memory; the limit is 0\.15 GB \(setting sandboxMemoryGB\)$/,
    ),
  );
  expect(text).toMatch(/^started\n/);
  await until(() => !isRunning(`sleep ${mark}`));
});

test("BOX34 the memory of all processes counts together", async () => {
  const options = limitedOptions(createSandboxFolders(), { memoryBytes: 150 * MB });
  const { end } = await ranIn(options, `${allocate(90)} & ${allocate(90)} & wait`);
  expect(end).toMatchObject({ type: "killed", cause: "limit" });
});

test("BOX34 memory that processes share counts once, and reserved memory does not count", async () => {
  const folders = createSandboxFolders();
  writeFileSync(
    join(folders.workspace, "share.py"),
    [
      "import mmap, os, time",
      "kept = bytearray(b'x' * 80_000_000)",
      // As AddressSanitizer, Go and V8 reserve address space.
      "reserved = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)",
      "children = [os.fork() for _ in range(1)]",
      "if children[0]: children.append(os.fork())",
      "time.sleep(1.5)",
      "print('ended')",
    ].join("\n"),
  );
  const { end, text } = await ranIn(
    limitedOptions(folders, { memoryBytes: 150 * MB }),
    "/usr/bin/env python3 share.py; wait",
  );
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "ended\nended\nended\n" });
});

test("BOX34 a command with more processes than the limit is killed, and the message names the setting", async () => {
  const options = limitedOptions(createSandboxFolders(), { processes: 60 });
  const { end } = await ranIn(options, "for i in $(seq 100); do sleep 30 & done 2>/dev/null; wait");
  expect(end).toMatchObject({ type: "killed", cause: "limit" });
  expect(end).toHaveProperty(
    "message",
    expect.stringMatching(
      /^command killed: it had \d+ processes and threads; the limit is 60 \(setting sandboxProcesses\)$/,
    ),
  );
});

test("BOX34 processes below the limit run, and the kernel refuses more than a few above it", async () => {
  const { end, text } = await ranIn(
    limitedOptions(createSandboxFolders(), { processes: 60 }),
    "for i in $(seq 40); do sleep 1 & done; wait; ulimit -Hu; ulimit -Su",
  );
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "76\n76\n" });
});

test("BOX34 the kernel's limit is set only on kernels that count the processes of one sandbox", () => {
  const limits = { ...defaultLimits(), processes: 4_096 };
  expect(limitProcessesScript(limits, "6.1.0-13-amd64")).toContain("4608");
  expect(limitProcessesScript(limits, "5.14.0")).toContain("4608");
  expect(limitProcessesScript(limits, "5.4.0-generic")).toBe("");
});

const FILL = "while :; do head -c 2000000 /dev/zero >>/tmp/file; sleep 0.05; done";

test("BOX34 a command that fills the private /tmp is killed, and the message names the setting", async () => {
  const { end } = await ranIn(limitedOptions(createSandboxFolders(), { temporaryBytes: 10 * MB }), FILL);
  expect(end).toMatchObject({ type: "killed", cause: "limit" });
  expect(end).toHaveProperty(
    "message",
    expect.stringMatching(
      /^command killed: its private \/tmp has 0\.\d+ GB of files; the limit is 0\.01 GB \(setting sandboxTmpGB\)\./,
    ),
  );
});

test("BOX34 a command that empties a full /tmp, or leaves it full, is not killed", async () => {
  const options = limitedOptions(createSandboxFolders(), { temporaryBytes: 10 * MB });
  await ranIn(options, "for i in $(seq 10); do head -c 3000000 /dev/zero >/tmp/$i; done");
  const { end, text } = await ranIn(
    options,
    "sleep 1.5; for i in $(seq 9); do rm /tmp/$i; sleep 0.2; done; ls /tmp/1*",
  );
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "/tmp/10\n" });
});

test("BOX34 a command with a secret has the same limits in its own folder", async () => {
  const options = limitedOptions(createSandboxFolders(), { temporaryBytes: 10 * MB });
  const { end } = await ranIn(options, FILL, { environment: { TOKEN: "given" }, hosts: [] });
  expect(end).toMatchObject({ type: "killed", cause: "limit" });
});

test("BOX34 BASH11 a background command is killed at a limit, and its job has the reason", async () => {
  const folders = createSandboxFolders();
  const tool = bashTool(sandboxedShell(limitedOptions(folders, { processes: 60 })));
  const call = (args: object) =>
    tool.run({
      ...{ id: "1", arguments: { ...args }, signal: new AbortController().signal, maxOutputBytes: 50_000 },
      update: () => {},
    });
  await call({ command: "touch started; for i in $(seq 100); do sleep 30 & done 2>/dev/null; wait", background: true });
  await until(() => existsSync(join(folders.workspace, "started")));
  const { content } = await call({ job: "job-1", wait: 20 });
  expect(JSON.stringify(content)).toContain("job-1 has ended: command killed: it had");
  await tool.dispose();
});

test("BOX34 by default, ordinary work is far from every limit", () => {
  const { memoryBytes, processes, temporaryBytes } = defaultLimits();
  expect(memoryBytes).toBeGreaterThan(0.5e9);
  expect({ processes, temporaryBytes }).toEqual({ processes: 4_096, temporaryBytes: 10e9 });
});
