/** Reads the Markdown pages of the repository, and renders Markdown tables. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface Page {
  readonly path: string;
  readonly text: string;
}

export function readPages(root: string): readonly Page[] {
  const folders = ["", "docs", "docs/decisions", ...packageFolders(root)];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));
}

function packageFolders(root: string): readonly string[] {
  const packages = join(root, "packages");
  return existsSync(packages) ? readdirSync(packages).map((name) => join("packages", name)) : [];
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(formatCell).join(" | ")} |`).join("\n");
}

function formatCell(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}
