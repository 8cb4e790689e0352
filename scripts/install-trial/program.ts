/** Installs the program globally from its tarball alone, and tries what a new user does: an answer, the screen, an extension, an MCP server. */

import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Script, startServer } from "@pith/testkit";
import { rolldown } from "rolldown";
import { root } from "../build/packages.ts";
import { type Node, npmCli, pathWith } from "./nodes.ts";
import type { Tarball } from "./tarballs.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { type Command, freshEnvironment, requireText, run, type Trial } from "./trial.ts";

export interface Installed {
  readonly packages: number;
  readonly megabytes: number;
}

interface Place {
  readonly folder: string;
  readonly tarball: Tarball;
}

/** Everything happens below `folder`, with an empty home and an empty prefix. */
export async function tryProgram(node: Node, { folder, tarball }: Place, trial: Trial): Promise<Installed> {
  const [home, prefix, project] = ["home", "prefix", "project"].map((name) => makeFolder(folder, name)) as Folders;
  const isWindows = process.platform === "win32";
  const env = freshEnvironment(home, pathWith(node, isWindows ? prefix : join(prefix, "bin")));
  const command = { cwd: project, env };
  const step = (name: string, act: () => Promise<string | undefined>) =>
    trial.step(`Node ${node.version}: ${name}`, act);
  const modules = join(prefix, isWindows ? "node_modules" : "lib/node_modules");
  const pith = join(modules, tarball.manifest.name, tarball.manifest.publishConfig.bin?.pith ?? "");
  const answer = (script: Script, args: readonly string[]) => answered(script, { node, pith, args, command });
  let installed: Installed = { packages: Number.NaN, megabytes: Number.NaN };

  await step("npm install -g", async () => {
    const flags = ["--prefix", prefix, "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
    await run(node.file, [npmCli(), "install", "-g", ...flags, tarball.file], command);
    installed = { packages: countPackages(modules), megabytes: bytesBelow(modules) / 1e6 };
    return `${installed.packages} packages, ${installed.megabytes.toFixed(1)} MB`;
  });
  await step("pith --version", async () => {
    const version = (await run(isWindows ? "pith.cmd" : "pith", ["--version"], command)).trim();
    if (version !== tarball.manifest.version) throw new Error(`it is ${version}`);
    return version;
  });
  await step("first answer", async () => {
    requireText(await answer(["All is well."], ["-p", "How is it?"]), /^All is well\.\n$/);
    return undefined;
  });
  await step("extension in TypeScript", async () => {
    writeFileSync(join(makeFolder(home, ".pith/extensions"), "greeting.ts"), EXTENSION);
    requireText(await answer([], ["-p", "/hello Ann"]), /hello Ann/);
    return undefined;
  });
  await step("MCP server", async () => {
    const place = makeFolder(folder, "server");
    const args = [await bundleServer(place), join(place, "desk.log")];
    const settings = { mcpServers: { desk: { command: node.file, args, folders: [place] } } };
    writeFileSync(join(home, ".pith/settings.json"), JSON.stringify(settings));
    await run(node.file, [pith, "mcp", "trust", "desk", "--yes"], command);
    const call = { tool: "desk/add", arguments: { one: 2_000, other: 345 } };
    const script: Script = ({ number, body }) => {
      if (number === 1) return { parts: [{ type: "call", name: "mcp_call", arguments: call }] };
      return JSON.stringify(body).includes("2345") ? "It is right." : "No sum came.";
    };
    requireText(await answer(script, ["-p", "Add them.", "--allow", "mcp_call(desk/*)"]), /^It is right\.\n$/);
    return undefined;
  });
  if (isWindows) trial.notTried(`Node ${node.version}: screen`, "there is no tmux on Windows");
  else await step("screen", () => tryScreen(command));
  await step("pith sessions search", async () => {
    requireText(await run(node.file, [pith, "sessions", "search", "screen works"], command), /The screen works/);
    return undefined;
  });
  await step("pith doctor", async () => {
    const env = { ...command.env, ANTHROPIC_API_KEY: "any" };
    requireText(await run(node.file, [pith, "doctor"], { ...command, env }), /ripgrep: \S+ripgrep-\S+/);
    return undefined;
  });
  return installed;
}

/** pnpm puts each package into a folder of its own, where only its own dependencies are found. */
export async function tryPnpm({ folder, tarball }: Place, trial: Trial): Promise<void> {
  const env = { ...freshEnvironment(makeFolder(folder, "home"), process.env.PATH ?? ""), ANTHROPIC_API_KEY: "any" };
  const command = { cwd: makeFolder(folder, "project"), env };
  await trial.step("pnpm: pith finds its ripgrep", async () => {
    await run("pnpm", ["add", "--ignore-scripts", "--config.minimumReleaseAge=0", tarball.file], command);
    const pith = join(command.cwd, "node_modules/.bin/pith");
    requireText(await run(pith, ["doctor"], command), /ripgrep: \S+ripgrep-\S+/);
    return undefined;
  });
}

type Folders = [string, string, string];

interface Asked {
  readonly node: Node;
  readonly pith: string;
  readonly args: readonly string[];
  readonly command: Command;
}

async function answered(script: Script, { node, pith, args, command }: Asked): Promise<string> {
  const server = await startServer({ script });
  try {
    return await run(node.file, [pith, ...args], { ...command, env: withModel(command, server.url) });
  } finally {
    await server.close();
  }
}

function withModel({ env }: Command, url: string): Record<string, string> {
  return { ...env, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
}

/** Types a question, sees its answer, and leaves. */
async function tryScreen(command: Command): Promise<undefined> {
  const server = await startServer({ script: ["The screen works."] });
  try {
    await talk(openTerminal("pith", { ...command, env: withModel(command, server.url) }));
  } finally {
    await server.close();
  }
}

async function talk(terminal: Terminal): Promise<void> {
  try {
    await terminal.shows(/claude/i);
    terminal.type("Does it work?");
    await terminal.shows(/Does it work\?/);
    terminal.press("Enter");
    await terminal.shows(/The screen works\./);
    terminal.press("C-d");
    const status = await terminal.exited();
    if (status !== 0) throw new Error(`it ended with ${status}`);
  } finally {
    terminal.close();
  }
}

const EXTENSION = `import type { ExtensionApi } from "@pith/agent";

export default (pith: ExtensionApi): void => {
  pith.registerCommand("hello", { description: "greets", run: async (words: string) => \`hello \${words}\` });
};
`;

/** A server of the tests as one file with all it needs, as if it had been installed. */
async function bundleServer(folder: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, "packages/cli/test/mcp/servers/desk.ts"), platform: "node" });
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

/** Every package below, however deep, without npm's own bookkeeping. */
function countPackages(modules: string): number {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const folders = names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name],
  );
  return folders.reduce((sum, name) => {
    const inner = join(modules, name, "node_modules");
    return sum + 1 + (lstatSync(inner, { throwIfNoEntry: false }) ? countPackages(inner) : 0);
  }, 0);
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}
