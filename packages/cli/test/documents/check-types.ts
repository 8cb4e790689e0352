/** Type-checks generated modules that import our packages, as a person's program would. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** What the compiler says of these modules, by their names; empty where all is well. */
export function checkTypes(modules: Readonly<Record<string, string>>): string {
  // Below the root, so that they find our packages; in a place that is never committed.
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "documents-"));
  try {
    for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
    const options = { noImplicitReturns: false, allowUnreachableCode: true, tsBuildInfoFile: join(folder, "info") };
    const config = { extends: join(ROOT, "tsconfig.tools.json"), compilerOptions: options, include: ["*.ts"] };
    // A folder called node_modules is left out, unless it is said that nothing is.
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...config, exclude: [], references: [] }));
    return compile(relative(ROOT, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(folder: string): string {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [tsc, "-p", folder], { cwd: ROOT, encoding: "utf8" });
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? error);
  }
}
