/** Reads TypeScript files and parses them with the bundler's parser. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ParseResult, parseSync } from "rolldown/utils";

export interface Source {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Parses a file once. A syntax error throws, because a check of half a file proves nothing. */
export const parseSource: (source: Source) => ParseResult = memoizePerSource(({ path, text }) => {
  const result = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  return result;
});

/** Wraps a function so that it runs once for each file. */
export function memoizePerSource<Result>(compute: (source: Source) => Result): (source: Source) => Result {
  const results = new WeakMap<Source, { readonly result: Result }>();
  return (source) => {
    const cached = results.get(source) ?? { result: compute(source) };
    results.set(source, cached);
    return cached.result;
  };
}

/** The line, counted from 1, of a position in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

export function countLines({ text }: Source): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** Reads all TypeScript files below a folder. A missing folder has none. */
export function readFolder(root: string, folder: string): Source[] {
  return listFiles(root, folder).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The folders directly inside a folder. */
export function listSubfolders(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const items = readdirSync(join(root, folder), { withFileTypes: true });
  return items.filter((item) => item.isDirectory() && !isIgnored(item.name)).map(({ name }) => `${folder}/${name}`);
}

function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const items = readdirSync(join(root, folder), { withFileTypes: true });
  const files = items.filter((item) => item.isFile() && item.name.endsWith(".ts"));
  const deeper = listSubfolders(root, folder).flatMap((below) => listFiles(root, below));
  return [...files.map(({ name }) => `${folder}/${name}`), ...deeper].toSorted();
}

function isIgnored(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}
