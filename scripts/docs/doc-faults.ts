/** What drifts in documents: links to files that are gone, and code that no longer is what an example runs. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Fault } from "../fault.ts";
import { generators } from "./generated.ts";

export interface DocInspection {
  readonly pages: number;
  readonly faults: readonly Fault[];
}

export function docFaults(root: string): DocInspection {
  const pages = pagesOf(root);
  return {
    pages: pages.length,
    faults: pages.flatMap((page) => [...linkFaults(root, page), ...codeFaults(root, page), ...generatedFaults(page)]),
  };
}

interface Page {
  readonly path: string;
  readonly text: string;
}

function pagesOf(root: string): readonly Page[] {
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

function linkFaults(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap((link) => {
    const target = link[1] ?? "";
    if (/^[a-z]+:/.test(target) || existsSync(join(root, dirname(path), target))) return [];
    return [{ path, line: lineOf(text, link.index), sentence: `the link to ${target} leads nowhere` }];
  });
}

/** A fence right below `<!-- examples/01-tree.ts#screen -->` must hold that region of that file, to the letter. */
function codeFaults(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(/<!-- (\S+)#(\w+) -->\n```\w*\n([\s\S]*?)```/g)].flatMap((fence) => {
    const [, file = "", name = "", code = ""] = fence;
    const region = regionOf(join(root, file), name);
    if (region === code) return [];
    const sentence =
      region === null
        ? `${file} has no region ${name}`
        : `this is not what stands in ${file}, region ${name}; copy it from there`;
    return [{ path, line: lineOf(text, fence.index), sentence }];
  });
}

const GENERATED = /<!-- generated: ([\w-]+) -->\n([\s\S]*?)<!-- end -->/g;

/** What stands between `<!-- generated: NAME -->` and `<!-- end -->` is made from the code. */
function generatedFaults({ path, text }: Page): readonly Fault[] {
  return [...text.matchAll(GENERATED)].flatMap((part) => {
    const [, name = "", content = ""] = part;
    if (content === `${generators[name]?.()}\n`) return [];
    const sentence = generators[name]
      ? `${name} is not what the code says; run \`pnpm docs\``
      : `nobody generates ${name}`;
    return [{ path, line: lineOf(text, part.index), sentence }];
  });
}

/** The same page with every generated part made anew. */
export function regenerated(text: string): string {
  return text.replace(GENERATED, (part, name: string) => {
    const content = generators[name]?.();
    return content === undefined ? part : `<!-- generated: ${name} -->\n${content}\n<!-- end -->`;
  });
}

function regionOf(file: string, name: string): string | null {
  if (!existsSync(file)) return null;
  const found = new RegExp(`// #region ${name}\\n([\\s\\S]*?)// #endregion`).exec(readFileSync(file, "utf8"));
  return found?.[1] ?? null;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
