/** Tests node/sandbox-runtime/install.ts and the profile that the runtime creates for macOS. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findCommandSandbox } from "../../../src/node/sandbox/detect.ts";
import {
  createCommandConfig,
  findFixedPaths,
  type RuntimeSandboxOptions,
} from "../../../src/node/sandbox-runtime/config.ts";
import { RuntimeHost } from "../../../src/node/sandbox-runtime/host-process.ts";
import {
  findForeignFiles,
  findRuntime,
  formatInstallCommand,
  packageFolder,
  RUNTIME_PACKAGE,
  RUNTIME_VERSION,
} from "../../../src/node/sandbox-runtime/install.ts";
import { PINNED_PACKAGES } from "../../../src/node/sandbox-runtime/pinned-packages.ts";
import { runtimeShell } from "../../../src/node/sandbox-runtime/shell.ts";
import { createSandboxFolders, openNetwork, sandboxOptions } from "../../support/sandbox-folders.ts";
import { installedRuntime } from "./installed.ts";

const runtime = installedRuntime();

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pith runtime-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function copyOfRuntime(): string {
  const folder = emptyFolder();
  cpSync(runtime.folder, folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

function runtimeOptions(folder: string): RuntimeSandboxOptions {
  const { program: _, journal: __, ...options } = sandboxOptions(createSandboxFolders());
  return { ...options, runtime: { folder, version: RUNTIME_VERSION } };
}

describe("finding the runtime", () => {
  test("PLAT8 the command pins the runtime and each of its dependencies, and runs no script", () => {
    const command = formatInstallCommand("/home/u/.pith/sandbox-runtime");
    expect(command).toMatch(/^npm install --ignore-scripts --save-exact --prefix \/home\/u\/\.pith\/sandbox-runtime @/);
    expect(command.split(" ").slice(6)).toEqual(PINNED_PACKAGES.map(({ name, version }) => `${name}@${version}`));
    const page = readFileSync(join(import.meta.dirname, "../../../../../docs/platforms.md"), "utf8");
    for (const { name, version } of PINNED_PACKAGES) expect(page).toContain(`${name}@${version}`);
    expect(formatInstallCommand("/home/an other/it's")).toContain(`--prefix '/home/an other/it'\\''s' @`);
  });

  test("PLAT8 without the runtime macOS has no sandbox, and the advice names the install command", async () => {
    const folder = emptyFolder();
    const place = { environment: {}, root: "/nowhere", home: "/no-home", runtimeFolder: folder };
    expect(await findCommandSandbox({ ...place, platform: "darwin" })).toEqual({
      type: "unavailable",
      why: `${RUNTIME_PACKAGE} ${RUNTIME_VERSION} is not installed`,
      advice: `install it: ${formatInstallCommand(folder)}`,
    });
    const installed = { ...place, runtimeFolder: runtime.folder };
    expect(await findCommandSandbox({ ...installed, platform: "darwin" })).toEqual({ type: "runtime", runtime });
    expect(await findCommandSandbox({ ...installed, platform: "darwin", root: "/" })).toMatchObject({
      type: "unavailable",
      why: expect.stringContaining("the whole disk"),
    });
  });

  test("PLAT8 on Windows the advice names WSL", async () => {
    const place = { environment: {}, root: "/nowhere", home: "/no-home", runtimeFolder: runtime.folder };
    expect(await findCommandSandbox({ ...place, platform: "win32" })).toEqual({
      type: "unavailable",
      why: "sandboxing is not available on Windows",
      advice: expect.stringContaining("WSL 2"),
    });
  });

  test("PLAT8 another version is not used", () => {
    const folder = emptyFolder();
    mkdirSync(packageFolder(folder, RUNTIME_PACKAGE), { recursive: true });
    writeFileSync(join(packageFolder(folder, RUNTIME_PACKAGE), "package.json"), '{ "version": "0.0.1" }');
    expect(findRuntime(folder)).toMatchObject({
      type: "missing",
      why: expect.stringContaining("0.0.1, but Pith needs"),
    });
  });
});

describe("hashes", () => {
  test("PLAT9 the install command installs the pinned files", async () => {
    expect(await findForeignFiles(runtime)).toBe(null);
  });

  test.each([
    [
      "a changed file",
      (at: (name: string) => string) => writeFileSync(at("zod/v3/index.js"), "export {};\n"),
      "zod is missing",
    ],
    [
      "a file more",
      (at: (name: string) => string) => writeFileSync(at(`${RUNTIME_PACKAGE}/dist/more.js`), ""),
      `${RUNTIME_PACKAGE} is missing`,
    ],
    ["a file less", (at: (name: string) => string) => rmSync(at("commander/index.js")), "commander is missing"],
    ["a link", (at: (name: string) => string) => symlinkSync("/etc/passwd", at("zod/link")), "zod is missing"],
    [
      "a package more",
      (at: (name: string) => string) => mkdirSync(at("@microsoft/mxc-sdk"), { recursive: true }),
      "@microsoft/mxc-sdk is not expected there",
    ],
    [
      "a package less",
      (at: (name: string) => string) => rmSync(at("node-forge"), { recursive: true }),
      "node-forge is missing",
    ],
  ])("PLAT9 %s is refused before any of it is loaded, with advice", async (_, change, named) => {
    const folder = copyOfRuntime();
    change((name) => packageFolder(folder, name));
    const shell = runtimeShell(runtimeOptions(folder));
    onTestFinished(() => shell.close());
    const end = await shell.run("true", { signal: new AbortController().signal, onOutput: () => {} });
    expect(end).toEqual({
      type: "not-started",
      message: expect.stringMatching(
        /^the command was not run, because its sandbox could not be created: .*not loaded: /,
      ),
    });
    expect(end).toMatchObject({ message: expect.stringContaining(named) });
    expect(end).toMatchObject({ message: expect.stringContaining(`rm -rf '${folder}' && npm install`) });
  });
});

describe("the profile for macOS", () => {
  /** The runtime creates it from Pith's configuration; it is not applied here. */
  async function profileOf(
    parts: Partial<RuntimeSandboxOptions> = {},
  ): Promise<{ readonly options: RuntimeSandboxOptions; readonly line: string }> {
    const network = await openNetwork({ program: null });
    onTestFinished(() => network.close());
    const options = { ...runtimeOptions(runtime.folder), network, ...parts };
    const made = createCommandConfig({ ...options, fixedPaths: findFixedPaths(options) });
    if (made.type === "failed") throw new Error(made.why);
    const host = await RuntimeHost.open({ runtime, root: options.root, config: made.config, platform: "darwin" });
    onTestFinished(() => host.close());
    return { options, line: await host.wrap("true", made.config) };
  }

  /** The paths of one rule, such as `deny file-read*`. */
  function rules(line: string, rule: string): string {
    const all = line.split(/\n(?=\()/);
    return all.filter((each) => each.startsWith(`(${rule}`)).join("\n");
  }

  test("PLAT10 denies by default, and commands reach only Pith's proxy", async () => {
    const { options: box, line } = await profileOf();
    expect(line).toContain("/usr/bin/sandbox-exec -p ");
    expect(line).toContain("(deny default");
    const reached = [...line.matchAll(/\(allow network-outbound ([^\n]*)\)/g)].map(([, what]) => what);
    expect(reached).toEqual([`(remote ip "localhost:${box.network?.port}")`]);
    expect(line).not.toContain("(allow network*)");
    expect(line).not.toContain("AF_UNIX");
  });

  test("PLAT10 homes, keys and secrets are not readable, and only the workspace and the private folders are writable", async () => {
    const { options: box, line } = await profileOf();
    const unread = rules(line, "deny file-read*");
    for (const path of [box.home, join(box.home, ".ssh"), ...(box.hidden ?? [])])
      expect(unread).toContain(`(subpath "${path}")`);
    const written = rules(line, "allow file-write*");
    for (const path of [box.root, box.privateHome, box.temporary]) expect(written).toContain(`(subpath "${path}")`);
    expect(written).not.toContain(`(subpath "${box.home}")`);
    const unwritten = rules(line, "deny file-write*");
    for (const name of [".vscode", ".envrc", ".git/hooks", ".git/config"])
      expect(unwritten).toContain(join(box.root, name));
  });

  test("PLAT10 in plan mode the workspace is not writable", async () => {
    const { options: box, line } = await profileOf({ mayWrite: () => false });
    expect(rules(line, "allow file-write*")).not.toContain(`(subpath "${box.root}")`);
  });
});
