/** Builds graphs of imports between files, and answers which files reach which. */

import { listDeclaredNames } from "../source/declarations.ts";
import { type ImportedName, listExports, listImports } from "../source/modules.ts";
import type { Source } from "../source/source.ts";
import { findDoor, type Workspace } from "./workspace.ts";

/** The files that each file imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The graph of relative imports, type imports included. */
export function relativeImports({ sources }: Workspace): ImportGraph {
  return new Map(sources.map((source) => [source.path, listImports(source).flatMap(({ target }) => target ?? [])]));
}

/** All files that a file imports, directly or not. The file itself is among them only if it is in a cycle. */
export function reachableFiles(graph: ImportGraph, start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(graph.get(start) ?? [])];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...(graph.get(path) ?? []));
  }
  return found;
}

export function filesInCycles(graph: ImportGraph): readonly string[] {
  return [...graph.keys()].filter((path) => reachableFiles(graph, path).has(path));
}

/**
 * The graph of what runs. An imported name leads to the file that declares it, also through an entry point. A type import does not count,
 * except of a class: a file that imports the type `Session` calls its methods.
 */
export function valueImports(workspace: Workspace, sources: readonly Source[]): ImportGraph {
  const files = indexFiles(workspace);
  return new Map(sources.map((source) => [source.path, [...new Set(valueTargets(source, files))]]));
}

/** Returns the file that declares a name which a file imports, also through an entry point. */
export function findImportedFile(workspace: Workspace, path: string, name: string): string | undefined {
  const sources = workspace.sources.filter((source) => source.path === path);
  const named = sources.flatMap(listImports).filter(({ names }) => names.some((imported) => imported.name === name));
  const files = indexFiles(workspace);
  const [from] = named.flatMap(({ specifier, target }) => target ?? files.findDoor(specifier) ?? []);
  return from === undefined ? undefined : (findDeclaration(name, from, files)?.path ?? from);
}

function indexFiles(workspace: Workspace): Files {
  const byPath = new Map(workspace.sources.map((source) => [source.path, source]));
  return { byPath, findDoor: (specifier) => findDoor(workspace, specifier) };
}

interface Files {
  readonly byPath: ReadonlyMap<string, Source>;
  readonly findDoor: (specifier: string) => string | undefined;
}

function valueTargets(source: Source, files: Files): string[] {
  return listImports(source).flatMap(({ specifier, target, names }) => {
    const file = target ?? files.findDoor(specifier);
    return file === undefined ? [] : names.flatMap((imported) => valueTarget(imported, file, files) ?? []);
  });
}

function valueTarget({ name, isType }: ImportedName, file: string, files: Files): string | undefined {
  const declaration = findDeclaration(name, file, files);
  if (!isType) return declaration?.path ?? file;
  return declaration?.isClass ? declaration.path : undefined;
}

interface FoundDeclaration {
  readonly path: string;
  readonly isClass: boolean;
}

/** Follows re-exports to the file that declares a name. */
function findDeclaration(name: string, path: string, files: Files): FoundDeclaration | undefined {
  const source = files.byPath.get(path);
  if (source === undefined) return undefined;
  for (const exported of listExports(source)) {
    if (exported.name !== name && exported.name !== "*") continue;
    if (exported.from === null) return { path, isClass: isClass(source, name) };
    const target = exported.from.target ?? files.findDoor(exported.from.specifier);
    const inner = exported.name === "*" ? name : exported.from.name;
    const found = target === undefined ? undefined : findDeclaration(inner, target, files);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isClass(source: Source, name: string): boolean {
  return listDeclaredNames(source).some((declared) => declared.kind === "class" && declared.name === name);
}

/** All names that a file exports, with those of `export *`. */
export function exportedNames(workspace: Workspace, path: string): readonly string[] {
  const source = workspace.sources.find((each) => each.path === path);
  if (source === undefined) return [];
  return listExports(source).flatMap(({ name, from }) => {
    if (name !== "*" || from === null) return [name];
    const target = from.target ?? findDoor(workspace, from.specifier);
    return target === undefined ? [] : exportedNames(workspace, target);
  });
}
