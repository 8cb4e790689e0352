/** Tests tools/bash/sandbox-notes.ts: which system errors get a line, what it says, and which errors get none. */

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import type { FindPathRestriction } from "../../../src/ports.ts";
import { type BashTool, bashTool } from "../../../src/tools/bash/bash.ts";
import { listSandboxNotes } from "../../../src/tools/bash/sandbox-notes.ts";
import { call } from "../../support/bash-tool.ts";
import { createSandboxFolders, type SandboxFolders, sandboxOptions } from "../../support/sandbox-folders.ts";

function toolIn(
  folders: SandboxFolders,
  { mayWrite = true, ...parts }: { mayWrite?: boolean; root?: string } = {},
): BashTool {
  const options = sandboxOptions(folders, { mayWrite: () => mayWrite, environment: { LC_ALL: "C.UTF-8" }, ...parts });
  const unconfined = nodeShell({ root: folders.workspace, environment: options.environment });
  return bashTool(sandboxedShell(options), { sandbox: { unconfined, network: "off", mayWrite: () => mayWrite } });
}

/** The lines about the sandbox in the result of a command. */
async function notesOf(
  command: string,
  folders: SandboxFolders = createSandboxFolders(),
  parts = {},
): Promise<readonly string[]> {
  const { text } = await call(toolIn(folders, parts), { command });
  return text.split("\n").filter((line) => line.startsWith("[sandbox] "));
}

describe("a write that the sandbox refuses gets one line", () => {
  test.each([
    "touch /usr/local/new",
    "touch /usr/local/new; true",
    "echo x >/usr/local/new || true",
    "mkdir /usr/local/new 2>&1 | cat",
    `"$NODE" -e 'fs.writeFileSync("/usr/local/new", "")' || true`,
    `python3 -c 'open("/usr/local/new", "w")' || true`,
    "cd /usr/local; chmod 777 /usr/local/bin/../new; rm -rf /usr/local/new; touch /usr/local/new",
  ])("BASH26 `%s`: a system folder is read-only", async (command) => {
    expect(await notesOf(command)).toEqual([
      "[sandbox] /usr/local/new is read-only for commands. They can write in the workspace, /tmp and the home folder. To write there, run the command with `outside: true` (the user is asked); the user can also add the folder to the setting sandboxWrite.",
    ]);
  });

  test("BASH26 for a visible folder outside, also through a link in the workspace", async () => {
    const folders = createSandboxFolders();
    const expected = [
      expect.stringMatching(/^\[sandbox\] .*\/outside\/a is read-only for commands\. .*sandboxWrite\.$/),
    ];
    expect(await notesOf("touch $OUTSIDE/a", folders)).toEqual(expected);
    expect(await notesOf("touch way-out/a", folders)).toEqual(expected);
  });

  test.each([
    "echo x >>.git/config",
    "echo x >.git/config",
    "echo x >>$PWD/.git/config; true",
    `python3 -c 'open(".git/config", "w")'`,
    `"$NODE" -e 'fs.renameSync(".git/config", "x")'`,
    "mv .git/config x",
  ])("BASH26 `%s`: a protected path cannot be changed", async (command) => {
    const folders = createSandboxFolders();
    expect(await notesOf(command, folders)).toEqual([
      `[sandbox] ${folders.workspace}/.git/config is protected: other programs execute what it contains, so commands cannot change it. Use the write or edit tool, or run the command with \`outside: true\` (the user is asked).`,
    ]);
  });

  test("BASH26 for the repository around the workspace, and for the workspace itself", async () => {
    const folders = createSandboxFolders();
    const root = join(folders.workspace, "packages/app");
    mkdirSync(root, { recursive: true });
    expect(await notesOf("touch ../../new", folders, { root })).toEqual([
      `[sandbox] ${folders.workspace} is read-only for commands: it is around the workspace. To write there, run the command with \`outside: true\` (the user is asked); the user can also start the session in ${folders.workspace} or add it to the setting sandboxWrite.`,
    ]);
    expect(await notesOf("cd ..; mv $OLDPWD x; mv $OLDPWD x", folders, { root })).toEqual([
      `[sandbox] ${root} cannot be removed or renamed by commands: the sandbox uses it. Change what is in it, or run the command with \`outside: true\` (the user is asked).`,
    ]);
  });

  test("BASH26 in plan mode, which does not suggest outside", async () => {
    const notes = await notesOf("touch new; touch /usr/new; touch .git/new", createSandboxFolders(), {
      mayWrite: false,
    });
    expect(notes).toEqual([
      "[sandbox] The workspace is read-only now: the mode does not permit changes (plan mode). Commands can write in /tmp and the home folder. Only the user can change the mode.",
    ]);
  });

  test("BASH26 for a closed file, a hidden folder and a socket of the machine", async () => {
    const folders = createSandboxFolders();
    const socket = join(folders.workspace, "service");
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const keys = join(folders.outside, "keys.json");
    writeFileSync(keys, "{}");
    const parts = { hidden: [keys], otherProjects: [] };
    expect(await notesOf(`cat ${keys}`, folders, parts)).toEqual([
      `[sandbox] ${keys} is closed to commands: it may contain secrets, or a rule denies it. If it is needed, ask the user.`,
    ]);
    expect(
      await notesOf(
        `python3 -c 'open("/run/user/1/bus")'; python3 -c '
import socket
try: socket.socket(socket.AF_UNIX).connect("${socket}")
except OSError as error: print(error, "${socket}"); raise SystemExit(1)'`,
        folders,
      ),
    ).toEqual(
      ["/run/user/1/bus", socket].map(
        (path) =>
          `[sandbox] ${path} is a socket of the user's machine, which commands cannot reach. If it is needed, run the command with \`outside: true\` (the user is asked).`,
      ),
    );
  });

  test("BASH26 for a user namespace that cannot be created", async () => {
    const notes = await notesOf("unshare -U true");
    expect(notes).toEqual([
      expect.stringContaining("cannot create user namespaces. Turn off the program's own sandbox"),
    ]);
  });

  test("BASH26 once for each cause, and for at most three", async () => {
    const folders = createSandboxFolders();
    const command =
      "touch /usr/a /usr/b /etc/c; touch .git/config; touch .git/hooks/a .git/hooks/b; touch .git/hooks; mv .git x; touch $OUTSIDE/a";
    const notes = await notesOf(command, folders);
    expect(notes).toHaveLength(3);
    expect(new Set(notes).size).toBe(3);
  });

  test("BASH26 in the result of a job", async () => {
    const tool = toolIn(createSandboxFolders());
    await call(tool, { command: "touch /usr/local/new; true", background: true });
    expect((await call(tool, { job: "job-1", wait: 60 })).text).toContain("[sandbox] /usr/local/new is read-only");
  });
});

describe("an error that the sandbox did not cause gets no line", () => {
  test.each([
    "chmod 600 missing; exit 1",
    "chown nobody . || exit 1",
    "rm missing",
    "rm -r missing || true",
    "cat ~/missing",
    "ls /usr/missing; exit 2",
    "touch locked; chmod 0 locked; ./locked; exit 1",
    "echo 'docs: the file system is /usr/local, which is fine'",
    "echo 'open /usr/local/x: no such file or directory'; exit 1",
    "ls /tmp/missing; exit 1",
    "cat /usr/share/missing /etc/missing",
    "/usr/bin/env touch missing/x || echo \"/usr/bin/touch: cannot touch 'x': Read-only file system\"",
  ])("BASH26 after `%s`", async (command) => {
    const { text } = await call(toolIn(createSandboxFolders()), { command });
    expect(text).not.toMatch(/sandbox/);
  });

  test("BASH26 after a command that ran outside the sandbox", async () => {
    const folders = createSandboxFolders();
    const command = "echo '/usr/local/new: Read-only file system'";
    expect((await call(toolIn(folders), { command, outside: true })).text).not.toContain("[sandbox]");
    expect((await call(toolIn(folders), { command })).text).toContain("[sandbox]");
  });
});

describe("listSandboxNotes", () => {
  /** Restricts what is in `/closed`, and nothing else. */
  const findRestriction: FindPathRestriction = (path, use) =>
    path.startsWith("/closed") ? { cause: use === "open" ? "hidden" : "system", path } : null;
  const options = { findRestriction, mayWrite: true, hasFailed: true, temporary: "/tmp" };

  test.each([
    ["bash: line 1: /closed/a: Read-only file system", "/closed/a"],
    ["touch: cannot touch '/closed/a b': Read-only file system", "/closed/a b"],
    ["mkdir: cannot create directory ‘/closed/a’: Read-only file system", "/closed/a"],
    ["EROFS: read-only file system, open '/closed/a'", "/closed/a"],
    ["  path: '/closed/a', code: 'EROFS'", "/closed/a"],
    ["OSError: [Errno 30] Read-only file system: '/closed/a'", "/closed/a"],
    ["open /closed/a: read-only file system", "/closed/a"],
    ["error: could not lock config file /closed/a: Read-only file system", "/closed/a"],
    ["failed to write `/closed/a`\n\nCaused by:\n  Read-only file system (os error 30)", "/closed/a"],
    ["EBUSY: resource busy or locked, rename '/open/a' -> '/closed/a'", "/closed/a"],
    ["rm: cannot remove '/closed/a': Device or resource busy", "/closed/a"],
    ["cat: /closed/a: Permission denied", "/closed/a"],
    ["PermissionError: [Errno 13] Permission denied: '/closed/a'", "/closed/a"],
    ["Cannot connect to the Docker daemon at unix:///closed/a.sock. Is the docker daemon running?", "/closed/a.sock"],
    ["dial unix /closed/a.sock: connect: no such file or directory", "/closed/a.sock"],
  ])("BASH26 finds the path in the error %j", (text, path) => {
    expect(listSandboxNotes(text, options)).toEqual([expect.stringContaining(`[sandbox] ${path} is `)]);
  });

  test.each([
    "a text about /closed/a and a file system that is read only",
    "/closed/a",
    "/open/a: Read-only file system",
    `${"x".repeat(3_000)} /closed/a: Read-only file system`,
    `/closed/${"x".repeat(300)}: Read-only file system`,
    "/closed/a: Disk quota exceeded",
  ])("BASH26 returns no note for %j", (text) => {
    expect(listSandboxNotes(text, options)).toEqual([]);
  });

  test("BASH26 explains a missing file only if the command failed", () => {
    const text = "cat: /closed/a: No such file or directory";
    expect(listSandboxNotes(text, options)).toHaveLength(1);
    expect(listSandboxNotes(text, { ...options, hasFailed: false })).toEqual([]);
  });
});
