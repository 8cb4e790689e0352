/** Writes a small tree of files for one test, and runs a script of this folder's parent on it as a program. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface ScriptRun {
  readonly status: number | null;
  readonly lines: readonly string[];
}

export function runScript(name: string, ...args: readonly string[]): ScriptRun {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "..", name), ...args], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
}

export type FileTree = Readonly<Record<string, string>>;

export function writeTree(tree: FileTree): string {
  const root = mkdtempSync(join(tmpdir(), "pith-house-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
