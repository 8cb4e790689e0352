/**
 * Installs the program globally from its tarball alone, and tries what a new user does: a prompt, the interactive screen in tmux, an
 * extension, an MCP server.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Script, startServer } from "@pith/testkit";
import { rolldown } from "rolldown";
import { findNpmCli } from "../pack-packages.ts";
import { root } from "../packages.ts";
import {
  buildPath,
  type CommandOptions,
  createEnvironment,
  type InstallTrial,
  type NodeVersion,
  type PackedPackage,
  requireText,
  runCommand,
} from "./trial.ts";

export interface InstallFigures {
  readonly packages: number;
  readonly megabytes: number;
}

interface TrialFolder {
  readonly folder: string;
  readonly tarball: PackedPackage;
}

/** Uses an empty home and an empty npm prefix below `folder`. */
export async function tryProgram(
  node: NodeVersion,
  { folder, tarball }: TrialFolder,
  trial: InstallTrial,
): Promise<InstallFigures> {
  const [userHome, prefix, project] = ["home", "prefix", "project"].map((name) =>
    makeFolder(folder, name),
  ) as TrialFolders;
  const isWindows = process.platform === "win32";
  const env = createEnvironment(userHome, buildPath(node, isWindows ? prefix : join(prefix, "bin")));
  const command = { cwd: project, env };
  const runStep = (name: string, run: () => Promise<string | undefined>) =>
    trial.runStep(`Node ${node.version}: ${name}`, run);
  const modules = join(prefix, isWindows ? "node_modules" : "lib/node_modules");
  const programFile = join(modules, tarball.manifest.name, tarball.manifest.publishConfig.bin?.pith ?? "");
  const runWithScript = (script: Script, args: readonly string[]) =>
    runWithModel(script, { node, programFile, args, command });
  let installed: InstallFigures = { packages: Number.NaN, megabytes: Number.NaN };

  await runStep("npm install -g", async () => {
    const flags = ["--prefix", prefix, "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
    await runCommand(node.file, [findNpmCli(), "install", "-g", ...flags, tarball.file], command);
    installed = { packages: countPackages(modules), megabytes: countBytes(modules) / 1e6 };
    return `${installed.packages} packages, ${installed.megabytes.toFixed(1)} MB`;
  });
  await runStep("pith --version", async () => {
    const version = (await runCommand(isWindows ? "pith.cmd" : "pith", ["--version"], command)).trim();
    if (version !== tarball.manifest.version) throw new Error(`it prints ${version}`);
    return version;
  });
  await runStep("first answer", async () => {
    requireText(await runWithScript(["All is well."], ["-p", "How is it?"]), /^All is well\.\n$/);
    return undefined;
  });
  await runStep("extension in TypeScript", async () => {
    writeFileSync(join(makeFolder(userHome, ".pith/extensions"), "greeting.ts"), EXTENSION_SOURCE);
    requireText(await runWithScript([], ["-p", "/hello Ann"]), /hello Ann/);
    return undefined;
  });
  await runStep("MCP server", async () => {
    const serverFolder = makeFolder(folder, "server");
    const args = [await bundleServer(serverFolder), join(serverFolder, "desk.log")];
    const settings = { mcpServers: { desk: { command: node.file, args, folders: [serverFolder] } } };
    writeFileSync(join(userHome, ".pith/settings.json"), JSON.stringify(settings));
    await runCommand(node.file, [programFile, "mcp", "trust", "desk", "--yes"], command);
    const call = { tool: "desk/add", arguments: { one: 2_000, other: 345 } };
    const script: Script = ({ number, body }) => {
      if (number === 1) return { parts: [{ type: "call", name: "mcp_call", arguments: call }] };
      return JSON.stringify(body).includes("2345") ? "It is right." : "No sum came.";
    };
    requireText(await runWithScript(script, ["-p", "Add them.", "--allow", "mcp_call(desk/*)"]), /^It is right\.\n$/);
    return undefined;
  });
  if (isWindows) trial.skip(`Node ${node.version}: screen`, "there is no tmux on Windows");
  else await runStep("screen", () => tryScreen(command));
  await runStep("pith sessions search", async () => {
    requireText(
      await runCommand(node.file, [programFile, "sessions", "search", "screen works"], command),
      /The screen works/,
    );
    return undefined;
  });
  await runStep("pith doctor", async () => {
    const env = { ...command.env, ANTHROPIC_API_KEY: "any" };
    requireText(await runCommand(node.file, [programFile, "doctor"], { ...command, env }), /ripgrep: \S+ripgrep-\S+/);
    return undefined;
  });
  return installed;
}

/** pnpm gives each package a folder of its own, in which only its own dependencies are found. */
export async function tryPnpm({ folder, tarball }: TrialFolder, trial: InstallTrial): Promise<void> {
  const env = { ...createEnvironment(makeFolder(folder, "home"), process.env.PATH ?? ""), ANTHROPIC_API_KEY: "any" };
  const command = { cwd: makeFolder(folder, "project"), env };
  await trial.runStep("pnpm: pith finds its ripgrep", async () => {
    await runCommand("pnpm", ["add", "--ignore-scripts", "--config.minimumReleaseAge=0", tarball.file], command);
    const programFile = join(command.cwd, "node_modules/.bin/pith");
    requireText(await runCommand(programFile, ["doctor"], command), /ripgrep: \S+ripgrep-\S+/);
    return undefined;
  });
}

type TrialFolders = [string, string, string];

interface ProgramRun {
  readonly node: NodeVersion;
  readonly programFile: string;
  readonly args: readonly string[];
  readonly command: CommandOptions;
}

async function runWithModel(script: Script, { node, programFile, args, command }: ProgramRun): Promise<string> {
  const server = await startServer({ script });
  try {
    return await runCommand(node.file, [programFile, ...args], {
      ...command,
      env: modelEnvironment(command, server.url),
    });
  } finally {
    await server.close();
  }
}

function modelEnvironment({ env }: CommandOptions, url: string): Record<string, string> {
  return { ...env, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
}

/** Types a question, waits for its answer, and exits. */
async function tryScreen(command: CommandOptions): Promise<undefined> {
  const server = await startServer({ script: ["The screen works."] });
  try {
    await typeQuestion(openTerminal("pith", { ...command, env: modelEnvironment(command, server.url) }));
  } finally {
    await server.close();
  }
}

async function typeQuestion(terminal: Terminal): Promise<void> {
  try {
    await terminal.waitForText(/claude/i);
    terminal.type("Does it work?");
    await terminal.waitForText(/Does it work\?/);
    terminal.press("Enter");
    await terminal.waitForText(/The screen works\./);
    terminal.press("C-d");
    const status = await terminal.waitForExit();
    if (status !== 0) throw new Error(`the exit status is ${status}`);
  } finally {
    terminal.close();
  }
}

const EXTENSION_SOURCE = `import type { ExtensionApi } from "@pith/agent";

export default (pith: ExtensionApi): void => {
  pith.registerCommand("hello", { description: "greets", run: async (words: string) => \`hello \${words}\` });
};
`;

/** Bundles an MCP server of the tests into one file with its dependencies, like an installed one. */
async function bundleServer(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: join(root, "packages/host/test/mcp/servers/stdio-server.ts"),
    platform: "node",
  });
  const file = join(folder, "mcp-server.mjs");
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return file;
}

function makeFolder(...path: readonly string[]): string {
  const folder = join(...path);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Counts all packages, nested ones included, without npm's own files. */
function countPackages(modules: string): number {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const folders = names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((innerModules) => join(name, innerModules)) : [name],
  );
  return folders.reduce((sum, name) => {
    const innerModules = join(modules, name, "node_modules");
    return sum + 1 + (lstatSync(innerModules, { throwIfNoEntry: false }) ? countPackages(innerModules) : 0);
  }, 0);
}

function countBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}

interface Terminal {
  type(text: string): void;
  /** Presses a key by tmux's name, such as `Enter` or `C-d`. */
  press(key: string): void;
  /** Resolves when the screen shows the text. */
  waitForText(expected: RegExp): Promise<void>;
  /** Resolves with the exit status when the program has ended. */
  waitForExit(): Promise<number>;
  close(): void;
}

const TIMEOUT_MS = 120_000;

function openTerminal(file: string, { cwd, env }: CommandOptions): Terminal {
  const socket = `pith-install-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { cwd, env: { ...env, TERM: "xterm-256color" } })
      .toString()
      .trimEnd();
  // The shell stays open after the program ends, so that its last output and its status can be read.
  tmux("new-session", "-d", "-x", "100", "-y", "30", `${file}; echo "status:$?"; exec sleep 600`);
  const captureScreen = (): string => tmux("capture-pane", "-p");
  const waitFor = async <Value>(read: () => Value | null, description: string): Promise<Value> => {
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await sleep(50)) {
      const value = read();
      if (value !== null) return value;
    }
    throw new Error(
      `${description} was not shown within ${TIMEOUT_MS / 1000} s; the screen shows:\n${captureScreen()}`,
    );
  };
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    press: (key) => void tmux("send-keys", key),
    waitForText: async (expected) => {
      await waitFor(() => (expected.test(captureScreen()) ? true : null), String(expected));
    },
    waitForExit: () =>
      waitFor(() => {
        const status = /^status:(\d+)$/m.exec(captureScreen())?.[1];
        return status === undefined ? null : Number(status);
      }, "the exit status"),
    close: () => void tmux("kill-server"),
  };
}
