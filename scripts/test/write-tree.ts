/** Writes a small tree of files for one test, and removes it when the test is over. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

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
