#!/usr/bin/env node
/**
 * Starts the built `pith`: checks the Node version, enables V8's compile cache and hides warnings about experimental features of Node.
 * The program is imported only after that.
 */

import type { AboutTopic } from "./args/help.ts";

/** Flags that are handled without loading the program. */
const ABOUT_FLAGS: Readonly<Record<string, AboutTopic>> = {
  "-h": "help",
  "--help": "help",
  "-v": "version",
  "--version": "version",
};

if (isNodeTooOld()) {
  console.error(`pith requires Node 22.19 or newer; this is ${process.version}`);
  process.exitCode = 2;
} else {
  await start(process.argv.slice(2));
}

async function start(args: readonly string[]): Promise<void> {
  const topic = args.length === 1 ? ABOUT_FLAGS[args[0] ?? ""] : undefined;
  if (topic !== undefined) {
    const { printAbout } = await import("./args/help.ts");
    process.exitCode = await printAbout(topic);
    return;
  }
  hideExperimentalWarnings();
  enableCompileCache();
  const { run } = await import("./main.ts");
  await run(args);
}

function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 19);
}

/** SQLite and TypeScript support are experimental in Node 22, and Pith is tested with them. A warning would corrupt the screen. */
function hideExperimentalWarnings(): void {
  const emitWarning = process.emitWarning as (...args: readonly unknown[]) => void;
  process.emitWarning = (...args: readonly unknown[]): void => {
    const [, options] = args;
    const type = typeof options === "object" && options !== null && "type" in options ? options.type : options;
    if (type !== "ExperimentalWarning") emitWarning.apply(process, args as never);
  };
}

/** The cache is in Pith's home, where only the user can write: cached code is executed. */
function enableCompileCache(): void {
  // Not imported: an import reads all exports of a module, which loads Node's file streams before they are needed.
  const { getBuiltinModule } = process;
  try {
    const home = getBuiltinModule("node:os").homedir();
    const folder = getBuiltinModule("node:path").resolve(home, process.env.PITH_HOME || ".pith", "cache", "compiled");
    getBuiltinModule("node:fs").mkdirSync(folder, { recursive: true, mode: 0o700 });
    getBuiltinModule("node:module").enableCompileCache(folder);
  } catch {
    // Without the cache, the start is slower. Nothing else changes.
  }
}
