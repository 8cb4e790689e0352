/** Builds graphs of imports between files, answers which files reach which, and checks the layers of the program. */

import type { Fault } from "../fault.ts";
import { type ImportedName, listDeclaredNames, listExports, listImports, type Source } from "../source/source.ts";
import { findEntryPoint, type Workspace } from "./workspace.ts";

/** The files that each file imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The graph of relative imports, type imports included. */
export function relativeImportGraph({ sources }: Workspace): ImportGraph {
  return new Map(sources.map((source) => [source.path, listImports(source).flatMap(({ target }) => target ?? [])]));
}

/** All files that a file imports, directly or not. */
export function reachableFiles(graph: ImportGraph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue = [...(graph.get(start) ?? [])];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...(graph.get(path) ?? []));
  }
  return reached;
}

/**
 * The graph of what runs. An imported name leads to the file that declares it, also through an entry point. A type import does not count,
 * except of a class: a file that imports the type `Session` calls its methods.
 */
export function valueImportGraph(workspace: Workspace, sources: readonly Source[]): ImportGraph {
  const files = indexFiles(workspace);
  return new Map(sources.map((source) => [source.path, [...new Set(listValueTargets(source, files))]]));
}

/** Returns the file that declares a name which a file imports, also through an entry point. */
export function findImportedFile(workspace: Workspace, path: string, name: string): string | undefined {
  const sources = workspace.sources.filter((source) => source.path === path);
  const named = sources.flatMap(listImports).filter(({ names }) => names.some((imported) => imported.name === name));
  const files = indexFiles(workspace);
  const [from] = named.flatMap(({ specifier, target }) => target ?? files.findEntryPoint(specifier) ?? []);
  return from === undefined ? undefined : (findDeclaration(name, from, files)?.path ?? from);
}

function indexFiles(workspace: Workspace): FileIndex {
  const byPath = new Map(workspace.sources.map((source) => [source.path, source]));
  return { byPath, findEntryPoint: (specifier) => findEntryPoint(workspace, specifier) };
}

interface FileIndex {
  readonly byPath: ReadonlyMap<string, Source>;
  readonly findEntryPoint: (specifier: string) => string | undefined;
}

function listValueTargets(source: Source, files: FileIndex): string[] {
  return listImports(source).flatMap(({ specifier, target, names }) => {
    const file = target ?? files.findEntryPoint(specifier);
    return file === undefined ? [] : names.flatMap((imported) => findValueTarget(imported, file, files) ?? []);
  });
}

function findValueTarget({ name, isType }: ImportedName, file: string, files: FileIndex): string | undefined {
  const declaration = findDeclaration(name, file, files);
  if (!isType) return declaration?.path ?? file;
  return declaration?.isClass ? declaration.path : undefined;
}

interface FoundDeclaration {
  readonly path: string;
  readonly isClass: boolean;
}

/** Follows re-exports to the file that declares a name. */
function findDeclaration(name: string, path: string, files: FileIndex): FoundDeclaration | undefined {
  const source = files.byPath.get(path);
  if (source === undefined) return undefined;
  for (const exported of listExports(source)) {
    if (exported.name !== name && exported.name !== "*") continue;
    if (exported.origin === null) return { path, isClass: isClass(source, name) };
    const target = exported.origin.target ?? files.findEntryPoint(exported.origin.specifier);
    const innerName = exported.name === "*" ? name : exported.origin.name;
    const declaration = target === undefined ? undefined : findDeclaration(innerName, target, files);
    if (declaration !== undefined) return declaration;
  }
  return undefined;
}

function isClass(source: Source, name: string): boolean {
  return listDeclaredNames(source).some((declared) => declared.kind === "class" && declared.name === name);
}

/** All names that a file exports, with those of `export *`. */
export function listExportedNames(workspace: Workspace, path: string): readonly string[] {
  const source = workspace.sources.find((each) => each.path === path);
  if (source === undefined) return [];
  return listExports(source).flatMap(({ name, origin }) => {
    if (name !== "*" || origin === null) return [name];
    const target = origin.target ?? findEntryPoint(workspace, origin.specifier);
    return target === undefined ? [] : listExportedNames(workspace, target);
  });
}

const CLI_SOURCES = "packages/cli/src/";

const PI_TUI = "@earendil-works/pi-tui";

const PI_TUI_ADAPTER = `${CLI_SOURCES}modes/interactive/terminal/pi-tui.ts`;

/** The top folders, as ARCHITECTURE.md draws them, the highest layer first. The files directly in `src` are `.`. */
const LAYERS: readonly (readonly string[])[] = [
  ["."],
  ["modes"],
  ["subcommands"],
  ["app"],
  ["extensions"],
  ["mcp", "sub-agents", "protocol"],
  ["commands"],
  ["context-report", "export"],
  ["sessions", "resources", "models"],
  ["args"],
  ["settings"],
  ["trust"],
  ["text"],
];

interface FolderImport {
  readonly source: Source;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly target: string;
}

export function checkCliLayers(workspace: Workspace): readonly Fault[] {
  const faults = listCliImports(workspace).flatMap(({ source, line, from, to, target }) => {
    const path = source.path;
    if (to === "modes" && from !== "modes" && from !== ".")
      return [{ path, line, sentence: `imports ${target}; only main starts a mode` }];
    const modes = [path, target].map((file) => /^modes\/([^/]+)\//.exec(file.slice(CLI_SOURCES.length))?.[1]);
    if (from !== "modes" || to !== "modes" || modes[0] === modes[1]) return [];
    return [{ path, line, sentence: `imports ${target}; no mode imports another one` }];
  });
  const unknown = listCliImports(workspace).filter(({ from }) => layerOf(from) < 0);
  return [
    ...faults,
    ...unknown.map(({ source, from }) => ({ path: source.path, line: 1, sentence: `the folder ${from} has no layer` })),
    ...listPiTuiImporters(workspace)
      .filter((path) => path !== PI_TUI_ADAPTER)
      .map((path) => ({ path, line: 1, sentence: `imports ${PI_TUI}; import it from ${PI_TUI_ADAPTER}` })),
  ];
}

/** The files that import the terminal library. */
export function listPiTuiImporters({ sources }: Workspace): readonly string[] {
  const isImporter = (source: Source): boolean => listImports(source).some(({ specifier }) => specifier === PI_TUI);
  return sources.filter((source) => source.path.startsWith(CLI_SOURCES) && isImporter(source)).map(({ path }) => path);
}

/** Pairs of folders where the first one imports the second one, which is not below it: `settings -> policy`. */
export function listBackArrows(workspace: Workspace): readonly string[] {
  const arrows = listCliImports(workspace)
    .filter(({ from, to }) => from !== to && layerOf(to) <= layerOf(from))
    .map(({ from, to }) => `${from} -> ${to}`);
  return [...new Set(arrows)];
}

/**
 * In how many pairs of rooms of the agent the first one imports the second one against the order. Its rooms are the files and folders directly
 * in `src`, in the order with the fewest such pairs.
 */
export function countAgentBackArrows({ sources }: Workspace): number {
  const roomOf = (path: string): string => path.slice(AGENT_SOURCES.length).split("/")[0] ?? "";
  const arrows = new Map<string, Arrow>();
  for (const source of sources.filter(({ path }) => path.startsWith(AGENT_SOURCES)))
    for (const { target } of listImports(source)) {
      if (!target?.startsWith(AGENT_SOURCES)) continue;
      const [from, to] = [roomOf(source.path), roomOf(target)];
      if (from !== to) arrows.set(`${from} ${to}`, { from, to });
    }
  return countFewestBackArrows([...arrows.values()]);
}

const AGENT_SOURCES = "packages/agent/src/";

interface Arrow {
  readonly from: string;
  readonly to: string;
}

function countFewestBackArrows(arrows: readonly Arrow[], known = new Map<string, number>()): number {
  // A room that only imports is placed at the top, and one that is only imported at the bottom.
  const tangled = arrows.filter(
    ({ from, to }) => arrows.some((other) => other.to === from) && arrows.some((other) => other.from === to),
  );
  if (tangled.length < arrows.length) return countFewestBackArrows(tangled, known);
  const rooms = [...new Set(arrows.map(({ from }) => from))].toSorted();
  const key = rooms.join(" ");
  const countBelow = (room: string): number => {
    const others = arrows.filter(({ from, to }) => from !== room && to !== room);
    return arrows.filter(({ to }) => to === room).length + countFewestBackArrows(others, known);
  };
  // Each room is tried as the highest one. The imports of that room run back.
  const count = known.get(key) ?? (rooms.length === 0 ? 0 : Math.min(...rooms.map(countBelow)));
  known.set(key, count);
  return count;
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((folders) => folders.includes(folder));
}

function listCliImports({ sources }: Workspace): readonly FolderImport[] {
  return sources
    .filter(({ path }) => path.startsWith(CLI_SOURCES))
    .flatMap((source) =>
      listImports(source).flatMap(({ target, line }) =>
        target?.startsWith(CLI_SOURCES)
          ? [{ source, line, target, from: topFolder(source.path), to: topFolder(target) }]
          : [],
      ),
    );
}

function topFolder(path: string): string {
  const [folder = "", ...rest] = path.slice(CLI_SOURCES.length).split("/");
  return rest.length === 0 ? "." : folder;
}
