/**
 * Checks the list of files in ARCHITECTURE.md that shows one compaction from the agent's loop to the appended batch.
 *
 * The first listed file starts a compaction, the last one appends its batch. A file of `packages/context/src` is on the path if the first
 * file reaches it and it reaches the last file, both by value imports. `valueImports` says what counts as one.
 */

import type { Fault } from "../fault.ts";
import { countLines, lineAt } from "../source/source.ts";
import { type ImportGraph, reachableFiles, valueImports } from "./import-graph.ts";
import { CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

const page = "ARCHITECTURE.md";
const listBetweenMarks = /<!-- compaction path -->\n(.*?)<!-- end of compaction path -->/s;

export function checkCompactionPath(workspace: Workspace): readonly Fault[] {
  const list = readList(workspace);
  if (list === null)
    return [{ path: page, line: 1, sentence: "has no list between `<!-- compaction path -->` and its end mark" }];
  const malformed = list.items.filter(({ file }) => file === null);
  if (malformed.length > 0)
    return malformed.map(({ line }) => ({
      path: page,
      line,
      sentence: "is not an item of the form - `packages/…/x.ts`: what it does.",
    }));
  const path = findPath(workspace, list.files);
  if (path.length < 2)
    return [{ path: page, line: list.line, sentence: "the first file of the compaction path does not reach the last" }];
  return [
    ...path
      .filter((file) => !list.files.includes(file))
      .map((file) => ({ path: page, line: list.line, sentence: `${file} is on the compaction path; list it` })),
    ...list.items
      .filter(({ file }) => file !== null && !path.includes(file))
      .map(({ file, line }) => ({ path: page, line, sentence: `${file} is not on the compaction path; remove it` })),
  ];
}

/** The lines of all listed files; 0 without a list. */
export function countCompactionLines(workspace: Workspace): number {
  const files = readList(workspace)?.files ?? [];
  const sources = workspace.sources.filter(({ path }) => files.includes(path));
  return sources.reduce((sum, source) => sum + countLines(source), 0);
}

interface PathList {
  readonly line: number;
  readonly items: readonly { readonly file: string | null; readonly line: number }[];
  readonly files: readonly string[];
}

/** Every line between the marks is an item, a continuation that is indented, or empty. */
function readList({ architecture }: Workspace): PathList | null {
  const match = listBetweenMarks.exec(architecture);
  if (match === null) return null;
  const line = lineAt(architecture, match.index);
  const items = (match[1] ?? "").split("\n").flatMap((text, index) => {
    if (/^\s|^$/.test(text)) return [];
    return [{ file: /^- `(packages\/[^`]+\.ts)`\W+\w/.exec(text)?.[1] ?? null, line: line + 1 + index }];
  });
  return { line, items, files: items.flatMap(({ file }) => file ?? []) };
}

function findPath(workspace: Workspace, files: readonly string[]): readonly string[] {
  const start = files.at(0);
  const end = files.at(-1);
  if (start === undefined || end === undefined) return [];
  const sources = workspace.sources.filter(({ path }) => path === start || path.startsWith(CONTEXT_SOURCES));
  const graph = valueImports(workspace, sources);
  const isBefore = (path: string) => path === end || reachableFiles(graph, path).has(end);
  return [start, ...withinGraph(graph, reachableFiles(graph, start))].filter(isBefore);
}

function withinGraph(graph: ImportGraph, files: ReadonlySet<string>): readonly string[] {
  return [...files].filter((path) => graph.has(path));
}
