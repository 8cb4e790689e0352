#!/usr/bin/env node
/** The program `pith` as it is built: what V8 compiles of it is kept for the next start, hence nothing is loaded before that is said. */

import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { resolve } from "node:path";

keepCompiled();
await import("./bin.ts");

/** Beside the sessions, so that nobody but the user writes there: what is kept is run. */
function keepCompiled(): void {
  try {
    const folder = resolve(homedir(), process.env.PITH_HOME || ".pith", "cache", "compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // Where nothing can be kept, a start takes longer, and that is all.
  }
}
