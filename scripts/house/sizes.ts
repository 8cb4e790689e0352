/** Asks about sizes outside the usual range: files, folders, functions and parameter lists. These are questions, never faults. */

import { posix } from "node:path";
import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { functions } from "./source/functions.ts";
import { imports } from "./source/imports.ts";
import type { Source } from "./source/source.ts";

/** Beyond these a reader asks why. The usual sizes are smaller; CONTRIBUTING.md has the table. */
const limits = { fileLines: 500, smallFileLines: 40, folderFiles: 20, depth: 2, functionLines: 60, parameters: 3 };

export function sizes({ sources }: House): readonly Fault[] {
  return [
    ...sources.flatMap(longFile),
    ...smallFiles(sources),
    ...fullFolders(sources),
    ...sources.flatMap(deepFile),
    ...sources.flatMap(bigFunctions),
  ];
}

export function lineCount({ text }: Source): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** The folder whose subfolders count: `packages/cli/src`, `bench/src`, `scripts`. */
export function sourceFolder(path: string): string {
  const src = path.indexOf("/src/");
  return src < 0 ? path.slice(0, path.indexOf("/")) : path.slice(0, src + "/src".length);
}

/** How many folders lie between the source folder and the file. */
export function depth(path: string): number {
  return path.slice(sourceFolder(path).length + 1).split("/").length - 1;
}

function longFile(source: Source): Fault[] {
  const lines = lineCount(source);
  if (lines <= limits.fileLines) return [];
  return [{ path: source.path, line: 1, sentence: `${lines} lines; has a second subject moved in?` }];
}

/** An `index.ts` is a door, and a file that nobody imports is a program or an example. */
function smallFiles(sources: readonly Source[]): Fault[] {
  const importers = countImporters(sources);
  return sources.flatMap((source) => {
    const lines = lineCount(source);
    if (lines >= limits.smallFileLines || posix.basename(source.path) === "index.ts") return [];
    if (importers.get(source.path) !== 1) return [];
    const sentence = `${lines} lines and one importer; which neighbour does it belong to?`;
    return [{ path: source.path, line: 1, sentence }];
  });
}

function countImporters(sources: readonly Source[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    const targets = new Set(imports(source).flatMap(({ target }) => target ?? []));
    for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

function fullFolders(sources: readonly Source[]): Fault[] {
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([path, files]) => {
    if (files.length <= limits.folderFiles) return [];
    return [{ path, line: 1, sentence: `${files.length} files; is there a folder inside it?` }];
  });
}

function deepFile({ path }: Source): Fault[] {
  const folders = depth(path);
  if (folders <= limits.depth) return [];
  return [{ path, line: 1, sentence: `${folders} folders below ${sourceFolder(path)}; can one of them go?` }];
}

function bigFunctions(source: Source): Fault[] {
  const { path } = source;
  return functions(source).flatMap(({ name, line, lines, parameters }) => {
    const long = { path, line, sentence: `${name} has ${lines} lines; which part has a name of its own?` };
    const wide = { path, line, sentence: `${name} takes ${parameters} parameters; would one object read better?` };
    return [...(lines > limits.functionLines ? [long] : []), ...(parameters > limits.parameters ? [wide] : [])];
  });
}
