/** Our documents: pages in Markdown, and where in them something stands. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface Page {
  readonly path: string;
  readonly text: string;
}

export function pagesOf(root: string): readonly Page[] {
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
