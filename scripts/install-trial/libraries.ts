/** Installs all libraries from their tarballs into a project, and imports every entry point from JavaScript and from TypeScript. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProgram, root } from "../build/packages.ts";
import { type Node, npmCli, pathWith } from "./nodes.ts";
import type { Tarball } from "./tarballs.ts";
import { freshEnvironment, run, type Trial } from "./trial.ts";

/** The oldest TypeScript that is supported, and the one that Pith is built with. */
export const TYPESCRIPTS: readonly string[] = ["5.9.3", "7.0.2"];

export interface LibraryProject {
  readonly folder: string;
  readonly entryPoints: readonly string[];
}

export async function installLibraries(folder: string, tarballs: readonly Tarball[]): Promise<LibraryProject> {
  mkdirSync(folder, { recursive: true });
  const libraries = tarballs.filter((tarball) => !isProgram(tarball));
  const entryPoints = libraries.flatMap(({ manifest }) =>
    Object.keys(manifest.publishConfig.exports)
      .filter((name) => name !== "./package.json")
      .map((name) => manifest.name + name.slice(1)),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  writeFileSync(join(folder, "import.js"), importScript(entryPoints));
  writeFileSync(join(folder, "use.ts"), typedScript(entryPoints));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const env = freshEnvironment(folder, process.env.PATH ?? "");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const typescripts = TYPESCRIPTS.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const files = libraries.map(({ file }) => file);
  const args = [npmCli(), "install", ...flags, ...files, "@types/node@22", ...typescripts];
  await run(process.execPath, args, { cwd: folder, env });
  return { folder, entryPoints };
}

/** What a JavaScript program does with each library, on this Node. */
export async function tryJavaScript(node: Node, { folder, entryPoints }: LibraryProject, trial: Trial): Promise<void> {
  await trial.step(`Node ${node.version}: libraries from JavaScript`, async () => {
    const env = freshEnvironment(folder, pathWith(node));
    const printed = await run(node.file, ["import.js"], { cwd: folder, env });
    if (!printed.includes("2 entries\n")) throw new Error(`it printed ${printed}`);
    return `${entryPoints.length} entry points`;
  });
  // Node 22.19 strips types by default: the sources themselves run on it, too.
  await trial.step(`Node ${node.version}: the program from its sources`, async () => {
    const env = freshEnvironment(folder, pathWith(node));
    await run(node.file, [join(root, "packages/cli/src/bin.ts"), "--version"], { cwd: folder, env });
    return undefined;
  });
}

export async function tryTypeScript({ folder, entryPoints }: LibraryProject, trial: Trial): Promise<void> {
  const env = freshEnvironment(folder, process.env.PATH ?? "");
  for (const version of TYPESCRIPTS)
    await trial.step(`TypeScript ${version}`, async () => {
      const tsc = join(folder, "node_modules", `typescript-${version}`, "bin/tsc");
      await run(process.execPath, [tsc, "-p", "."], { cwd: folder, env });
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

function typedScript(entryPoints: readonly string[]): string {
  const imports = entryPoints.map((name, at) => `import * as module${at} from ${JSON.stringify(name)};`);
  const uses = entryPoints.map((_, at) => `module${at}`).join(", ");
  return `${imports.join("\n")}\nexport const all = [${uses}];\n${USE}${TYPED_USE}`;
}

/** Writes two entries and counts them. */
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
