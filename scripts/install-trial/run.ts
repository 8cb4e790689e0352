/** `scripts/try-install`: packs every package, installs it as users do on each supported Node, and tries the program and the libraries. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findNpmCli } from "../pack-packages.ts";
import { isProgram, root } from "../packages.ts";
import { type InstallFigures, tryPnpm, tryProgram } from "./program.ts";
import {
  buildPath,
  checkTarball,
  createEnvironment,
  findNode,
  InstallTrial,
  type NodeVersion,
  type PackedPackage,
  packPackages,
  runCommand,
  SUPPORTED_NODES,
} from "./trial.ts";

const MAX_PACKAGES = 3;
const MAX_MEGABYTES = 12;

async function runTrial(): Promise<void> {
  const { values } = parseArgs({
    options: {
      node: { type: "string", default: SUPPORTED_NODES.join(",") },
      json: { type: "boolean", default: false },
    },
  });
  const trial = new InstallTrial((line) => console.error(line));
  const folder = mkdtempSync(join(tmpdir(), "pith-install-"));
  const installFigures: InstallFigures[] = [];
  try {
    const tarballs = packPackages(folder);
    for (const tarball of tarballs) await checkTarball(tarball, trial);
    const program = tarballs.find(isProgram);
    if (!program) throw new Error("no package is the program");
    const nodes = values.node.split(",").map(findNode);
    const libraries = await installLibraries(join(folder, "consumer"), tarballs);
    await tryTypeScript(libraries, trial);
    if (process.platform === "win32") trial.skip("pnpm", "its programs are cmd scripts on Windows");
    else await tryPnpm({ folder: join(folder, "pnpm"), tarball: program }, trial);
    for (const node of nodes) {
      await tryJavaScript(node, libraries, trial);
      installFigures.push(await tryProgram(node, { folder: join(folder, node.version), tarball: program }, trial));
    }
    const figures = {
      nodes: nodes.map(({ version }) => version),
      packages: Math.max(...installFigures.map(({ packages }) => packages)),
      installed_mb: Number(Math.max(...installFigures.map(({ megabytes }) => megabytes)).toFixed(2)),
      failed: trial.failedSteps,
    };
    // A step that fails before it measures leaves NaN, which is null in JSON and exceeds every limit.
    const isWithinLimits = figures.packages <= MAX_PACKAGES && figures.installed_mb <= MAX_MEGABYTES;
    if (!isWithinLimits) console.error(`limits: ${MAX_PACKAGES} packages, ${MAX_MEGABYTES} MB`);
    console.log(values.json ? JSON.stringify(figures) : figures);
    process.exitCode = trial.failedSteps === 0 && isWithinLimits ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The oldest supported TypeScript, and the one that Pith is built with. */
const TYPESCRIPT_VERSIONS: readonly string[] = ["5.9.3", "7.0.2"];

interface LibraryProject {
  readonly folder: string;
  readonly entryPoints: readonly string[];
}

async function installLibraries(folder: string, tarballs: readonly PackedPackage[]): Promise<LibraryProject> {
  mkdirSync(folder, { recursive: true });
  const libraries = tarballs.filter((tarball) => !isProgram(tarball));
  const entryPoints = libraries.flatMap(({ manifest }) =>
    Object.keys(manifest.publishConfig.exports)
      .filter((name) => name !== "./package.json")
      .map((name) => manifest.name + name.slice(1)),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  writeFileSync(join(folder, "import.js"), importScript(entryPoints));
  writeFileSync(join(folder, "use.ts"), createTypedScript(entryPoints));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const env = createEnvironment(folder, process.env.PATH ?? "");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const typescripts = TYPESCRIPT_VERSIONS.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const files = libraries.map(({ file }) => file);
  const args = [findNpmCli(), "install", ...flags, ...files, "@types/node@22", ...typescripts];
  await runCommand(process.execPath, args, { cwd: folder, env });
  return { folder, entryPoints };
}

/** Imports every entry point from JavaScript on this Node. */
async function tryJavaScript(
  node: NodeVersion,
  { folder, entryPoints }: LibraryProject,
  trial: InstallTrial,
): Promise<void> {
  await trial.runStep(`Node ${node.version}: libraries from JavaScript`, async () => {
    const env = createEnvironment(folder, buildPath(node));
    const stdout = await runCommand(node.file, ["import.js"], { cwd: folder, env });
    if (!stdout.includes("2 entries\n")) throw new Error(`it printed ${stdout}`);
    return `${entryPoints.length} entry points`;
  });
  // Node 22.19 and newer strip types by default, so the sources run too.
  await trial.runStep(`Node ${node.version}: the program from its sources`, async () => {
    const env = createEnvironment(folder, buildPath(node));
    await runCommand(node.file, [join(root, "packages/cli/src/bin.ts"), "--version"], { cwd: folder, env });
    return undefined;
  });
}

async function tryTypeScript({ folder, entryPoints }: LibraryProject, trial: InstallTrial): Promise<void> {
  const env = createEnvironment(folder, process.env.PATH ?? "");
  for (const version of TYPESCRIPT_VERSIONS)
    await trial.runStep(`TypeScript ${version}`, async () => {
      const tsc = join(folder, "node_modules", `typescript-${version}`, "bin/tsc");
      await runCommand(process.execPath, [tsc, "-p", "."], { cwd: folder, env });
      return `${entryPoints.length} entry points`;
    });
}

const TSCONFIG = {
  compilerOptions: {
    module: "nodenext",
    target: "es2022",
    lib: ["es2024"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  },
  files: ["use.ts"],
};

function importScript(entryPoints: readonly string[]): string {
  const imports = entryPoints.map((name) => `await import(${JSON.stringify(name)});`);
  return `${imports.join("\n")}\n${USE}`;
}

function createTypedScript(entryPoints: readonly string[]): string {
  const imports = entryPoints.map((name, index) => `import * as module${index} from ${JSON.stringify(name)};`);
  const uses = entryPoints.map((_, index) => `module${index}`).join(", ");
  return `${imports.join("\n")}\nexport const all = [${uses}];\n${USE}${TYPED_USE}`;
}

/** A program that writes two entries and counts them. */
const USE = `import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";

const session = await Session.open(MemoryStore.create(nodeRuntime, { cwd: "/project" }), nodeRuntime);
for (const content of ["one", "two"])
  await session.append({ type: "message", message: { role: "user", content, timestamp: nodeRuntime.now() } });
console.log(\`\${session.branch.entries.length} entries\`);
`;

const TYPED_USE = `
import { type RpcEvent, RpcClient } from "@pith/client";
import type { ExtensionApi } from "@pith/agent";

export async function ask(client: RpcClient): Promise<string> {
  client.listen((event: RpcEvent) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      console.log(event.assistantMessageEvent.delta.length);
  });
  const response = await client.send({ type: "get_state" });
  return response.success && response.data ? response.data.sessionId : "none";
}
export const extension = (pith: ExtensionApi): void => {
  pith.on("tool_call", ({ toolName }) => (toolName === "bash" ? { block: true, reason: "not here" } : undefined));
};
`;

await runTrial();
