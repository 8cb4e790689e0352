/** Asks about unusual sizes of files, folders and functions, and about names that readers cannot guess. These are questions, never faults. */

import { posix } from "node:path";
import { counted, type Fault } from "../fault.ts";
import { functions } from "../source/functions.ts";
import { givenNames, imports } from "../source/modules.ts";
import type { Source } from "../source/source.ts";
import type { House } from "./house.ts";

/** Beyond these a reader asks why. The usual sizes are smaller; CONTRIBUTING.md has the table. */
const limits = {
  fileLines: 500,
  smallFileLines: 40,
  folderFiles: 20,
  fewestFiles: 3,
  depth: 2,
  functionLines: 60,
  parameters: 3,
};

export function sizes({ sources }: House): readonly Fault[] {
  return [
    ...sources.flatMap(longFile),
    ...smallFiles(sources),
    ...folderSizes(sources),
    ...repeatedNames(sources),
    ...deepFolders(sources),
    ...sources.flatMap(bigFunctions),
  ];
}

export function countLines({ text }: Source): number {
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

export function isLong(source: Source): boolean {
  return countLines(source) > limits.fileLines;
}

function longFile(source: Source): Fault[] {
  if (!isLong(source)) return [];
  return [{ path: source.path, line: 1, sentence: `${countLines(source)} lines; has a second subject moved in?` }];
}

/** An `index.ts` is a door, and a file that nobody imports is a program or an example. */
function smallFiles(sources: readonly Source[]): Fault[] {
  const importers = countImporters(sources);
  return sources.flatMap((source) => {
    const lines = countLines(source);
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

/** The source folder itself is not asked about: it may hold a single program. */
function folderSizes(sources: readonly Source[]): Fault[] {
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([path, files]) => {
    if (files.length > limits.folderFiles)
      return [{ path, line: 1, sentence: `${files.length} files; is there a folder inside it?` }];
    const hasFolders = [...folders.keys()].some((other) => other.startsWith(`${path}/`));
    if (files.length >= limits.fewestFiles || hasFolders || path === sourceFolder(`${path}/`)) return [];
    return [{ path, line: 1, sentence: `${counted(files.length, "file")}; does it need a folder?` }];
  });
}

function repeatedNames(sources: readonly Source[]): Fault[] {
  const folders = new Set(sources.map(({ path }) => posix.dirname(path)));
  return [...folders].flatMap((path) => {
    const names = path.slice(sourceFolder(`${path}/`).length + 1).split("/");
    const name = names.pop() ?? "";
    if (!names.includes(name)) return [];
    return [{ path, line: 1, sentence: `"${name}" stands at two levels; what tells them apart?` }];
  });
}

function deepFolders(sources: readonly Source[]): Fault[] {
  const folders = new Map(sources.map(({ path }) => [posix.dirname(path), path]));
  return [...folders].flatMap(([folder, file]) => {
    const count = depth(file);
    if (count <= limits.depth) return [];
    return [{ path: folder, line: 1, sentence: `${count} folders below ${sourceFolder(file)}; can one of them go?` }];
  });
}

function bigFunctions(source: Source): Fault[] {
  const { path } = source;
  return functions(source).flatMap(({ name, line, lines, parameters }) => {
    const long = { path, line, sentence: `${name} has ${lines} lines; which part has a name of its own?` };
    const wide = { path, line, sentence: `${name} takes ${parameters} parameters; would one object read better?` };
    return [...(lines > limits.functionLines ? [long] : []), ...(parameters > limits.parameters ? [wide] : [])];
  });
}

/** Words that end in -ing and are nouns of the field. */
const nouns: ReadonlySet<string> = new Set(["testing", "onboarding", "string", "strings"]);
const irregularParticiples: ReadonlySet<string> = new Set(
  [
    ["told", "said", "kept", "came", "held", "seen", "heard", "gone", "taken", "given", "found", "made", "shown"],
    ["drawn", "spoken", "written", "read", "learnt", "meant", "left", "lost", "sent", "met", "known", "worn"],
  ].flat(),
);

export function names({ sources, tests }: House): readonly Fault[] {
  return [...gerundFolders([...sources, ...tests]).map(gerund), ...sources.flatMap(bareParticiples)];
}

/** Folders of any of these files whose name is a gerund, such as `reading`. */
export function gerundFolders(files: readonly Source[]): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return [...folders].filter((folder) => isGerund(posix.basename(folder))).toSorted();
}

function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [...foldersOf(folder), folder];
}

function isGerund(name: string): boolean {
  return !nouns.has(name) && /[a-z]ing$/.test(name);
}

function gerund(path: string): Fault {
  return { path, line: 1, sentence: `"${posix.basename(path)}" is a gerund; which noun would a reader look for?` };
}

function bareParticiples(source: Source): Fault[] {
  return givenNames(source).flatMap(({ name, line }) => {
    if (!isParticiple(name)) return [];
    return [{ path: source.path, line, sentence: `${name} is a participle alone; which verb and object, or noun?` }];
  });
}

function isParticiple(name: string): boolean {
  return irregularParticiples.has(name) || /^[a-z]{2,}(?:ed|ing)$/.test(name);
}
