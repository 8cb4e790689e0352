/** Tests what the program says of the sandbox of macOS, and the bash tool in it: at the port, because only macOS uses it by itself. */

import { appendFileSync, chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { bashTool } from "@pith/agent";
import { findCommandSandbox, formatInstallCommand, openPrivateFolders, RUNTIME_VERSION } from "@pith/agent/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { installedRuntime } from "../../../agent/test/node/sandbox-runtime/installed.ts";
import { requireRootOwnedSandbox } from "../../../host/src/policy/permitted-parts.ts";
import { openShell } from "../../../host/src/sandbox/local-workspace.ts";
import { type OpenSandbox, runtimeFolderPath } from "../../../host/src/sandbox/sandbox.ts";
import { checkBash } from "../../src/subcommands/doctor/checks.ts";
import { checkFilePermissions } from "../../src/subcommands/doctor/file-checks.ts";
import { checkSandbox } from "../../src/subcommands/doctor/sandbox-checks.ts";

interface Places {
  readonly cwd: string;
  readonly home: string;
}

function places(): Places {
  const base = mkdtempSync(join(tmpdir(), "pith-macos-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const made = { cwd: join(base, "project"), home: join(base, ".pith") };
  for (const folder of Object.values(made)) mkdirSync(folder);
  return made;
}

async function bashIn({ cwd, home }: Places, sandbox: OpenSandbox) {
  const opened = await openShell(sandbox, {
    ...{ cwd, home, userHome: homedir(), environment: { PATH: process.env.PATH }, settings: { network: "off" } },
    mayWrite: () => true,
    deniedPaths: { unreadable: [], unwritable: [], enforcedRules: [], unenforcedRules: [] },
    permissions: {
      permit: async () => ({ type: "refused", why: "nobody is there" }),
      mayAppear: async () => false,
      hasPermittedLine: () => false,
    },
  });
  const bash = bashTool(opened.shell, { sandbox: opened.sandbox });
  onTestFinished(async () => {
    await bash.dispose();
    await opened.close();
  });
  return { bash, notes: opened.notes };
}

describe("on macOS without the runtime", () => {
  test("PLAT8 the start says that each command needs permission, and how to install a sandbox", async () => {
    const at = places();
    const folder = runtimeFolderPath(at.home);
    const sandbox = await findCommandSandbox({
      ...{ environment: {}, root: at.cwd, home: homedir(), runtimeFolder: folder, platform: "darwin" },
    });
    if (sandbox.type !== "unavailable") throw new Error("it is not installed");
    const { notes, bash } = await bashIn(at, sandbox);
    expect(notes[0]).toBe(
      `no sandbox is available, so each shell command needs --allow or --permission-mode all: @anthropic-ai/sandbox-runtime ${RUNTIME_VERSION} is not installed; install it: ${formatInstallCommand(folder)}`,
    );
    expect(bash.intent({ command: "ls" })).not.toMatchObject({ isConfined: true });
  });

  test("PLAT8 doctor gives the same warning, with the install command on its own line", async () => {
    const { cwd, home } = places();
    const call = { arguments: [], flags: {}, cwd, home, environment: {}, notify: () => {} };
    const [sandbox, protections] = await checkSandbox(call, "darwin");
    expect(sandbox).toEqual({
      ...{ name: "sandbox", state: "warning" },
      message: `@anthropic-ai/sandbox-runtime ${RUNTIME_VERSION} is not installed`,
      advice: `install it: ${formatInstallCommand(runtimeFolderPath(home))}`,
    });
    expect(protections).toMatchObject({
      state: "warning",
      message: expect.stringMatching(/^commands you allow run unrestricted/),
    });
  });

  test("PLAT8 on Windows, doctor suggests WSL or Git Bash and does not check file modes", async () => {
    const { cwd, home } = places();
    const call = { arguments: [], flags: {}, cwd, home, environment: {}, notify: () => {} };
    expect(checkBash(call, "win32")).toEqual([
      {
        ...{ name: "bash", state: "error", message: "not found; Pith cannot run commands without it" },
        advice: expect.stringMatching(/Git for Windows.*WSL 2/),
      },
    ]);
    expect(checkBash(call, "linux")).toEqual([]);
    chmodSync(home, 0o777);
    expect(await checkFilePermissions(call, "win32")).toMatchObject({
      state: "ok",
      message: expect.stringContaining("not checked"),
    });
    expect(await checkFilePermissions(call, "linux")).toMatchObject({ state: "error" });
    expect((await checkSandbox(call, "win32"))[0]).toMatchObject({
      ...{ state: "warning", message: "sandboxing is not available on Windows" },
      advice: expect.stringContaining("WSL 2"),
    });
  });
});

describe("with the runtime", () => {
  test("PLAT12 bash runs in the runtime, tells the model its folders, and does not offer host ports", async () => {
    const at = places();
    const folders = await openPrivateFolders({
      ...{ folder: join(at.home, "sandbox"), root: at.cwd, home: homedir(), environment: {} },
    });
    onTestFinished(() => folders.close());
    const runtime = installedRuntime();
    const { bash, notes } = await bashIn(at, { type: "runtime", runtime, folders, cleanup: Promise.resolve([]) });
    expect(notes).toEqual([]);
    expect(bash.description).toContain("They can write only in the workspace, $TMPDIR and a private home folder");
    expect(bash.description).toContain("They cannot listen on localhost or connect to it.");
    expect(JSON.stringify(bash.parameters)).not.toContain("host_port");
    const written = await bash.run({
      ...{ id: "call", signal: new AbortController().signal, maxOutputBytes: 10_000, update: () => {} },
      arguments: {
        command: `touch here "$TMPDIR/there" && ls -A ${JSON.stringify(at.home)}; touch /usr/pith-was-here`,
      },
    });
    expect(written).toMatchObject({ isError: true, details: { sandboxed: true } });
    expect(JSON.stringify(written.content)).toMatch(/Read-only file system[\s\S]*\$TMPDIR and a private home folder/);
  });

  test("PLAT12 a policy that requires a sandbox does not accept the runtime, because the user can change its files", () => {
    const here = { type: "runtime", runtime: { folder: "/home/u/.pith/sandbox-runtime", version: "1" } } as const;
    expect(requireRootOwnedSandbox(undefined, here)).toBe(here);
    expect(requireRootOwnedSandbox({ path: "/etc/pith/policy.json", sandbox: "required" } as never, here)).toEqual({
      type: "unavailable",
      why: "/home/u/.pith/sandbox-runtime is writable by users other than root",
    });
  });

  test("PLAT9 doctor verifies the runtime's files", async () => {
    const { cwd, home } = places();
    const folder = runtimeFolderPath(home);
    cpSync(installedRuntime().folder, folder, { recursive: true });
    const call = { arguments: [], flags: {}, cwd, home, environment: {}, notify: () => {} };
    expect((await checkSandbox(call, "darwin"))[0]).toMatchObject({
      state: "ok",
      message: `commands are sandboxed by sandbox-runtime ${RUNTIME_VERSION}, in ${folder}`,
    });
    appendFileSync(join(folder, "node_modules/zod/package.json"), "\n");
    expect((await checkSandbox(call, "darwin"))[0]).toMatchObject({
      state: "warning",
      message: expect.stringContaining("zod is missing or its files differ"),
      advice: expect.stringContaining("npm install"),
    });
  });
});
