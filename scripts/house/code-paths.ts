/**
 * Checks the lists of files in ARCHITECTURE.md that show one turn, one bash call, `/compact`, `pith -p` and one compaction in reading order.
 *
 * A list shows the files that one must open to follow the path; helpers of these files are not listed. Every listed file exists. Every file
 * after the first is connected to an earlier one in one of three ways: the earlier file imports it, it imports the earlier file (a callback
 * or a shared type), or both import the same name from a port file. Type imports count, and an import through an entry point counts as an
 * import of the file that declares the name.
 *
 * The list of a compaction is complete: it starts with files of the agent. Then come the file that declares the `compact` which the agent
 * calls, `compaction/compact.ts`, the summarizer, every file of `compaction/` and `summary/` that these reach by value imports, and the
 * session, which appends the batch.
 *
 * No two files of a list declare a function of the same name, and no file of the compaction uses a retired word for one of its names.
 */

import type { Fault } from "../fault.ts";
import { countLines, lineAt, listDeclaredNames, listImports, type Source } from "../source/source.ts";
import { findImportedFile, reachableFiles, relativeImportGraph, valueImportGraph } from "./import-graph.ts";
import { CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

const PAGE = "ARCHITECTURE.md";
const CHECKED_LISTS = ["turn path", "bash path", "compact command path", "print path"];
/** The files that declare what the agent or the interactive mode calls without knowing its implementation, and the blocks of the screen. */
const PORT_FILES = [
  "packages/agent/src/ports.ts",
  "packages/agent/src/tool.ts",
  "packages/cli/src/modes/interactive/screen-context.ts",
  "packages/cli/src/modes/interactive/state/blocks.ts",
];

export function checkCodePaths(workspace: Workspace): readonly Fault[] {
  return CHECKED_LISTS.flatMap((name) => {
    const list = readFileList(workspace, name);
    if (list === null) return [missingList(name)];
    return [...findMalformedItems(list), ...findUnconnectedFiles(workspace, list)];
  });
}

/** The lines of all listed files; 0 without a list. */
export function countPathLines(workspace: Workspace, name: string): number {
  return listPathSources(workspace, name).reduce((sum, source) => sum + countLines(source), 0);
}

export function listPathSources(workspace: Workspace, name: string): readonly Source[] {
  const files = readFileList(workspace, name)?.files ?? [];
  return workspace.sources.filter(({ path }) => files.includes(path));
}

/** A reader who looks for a function by its name must not find another one on the same path. Methods belong to their class. */
export function checkPathNames(workspace: Workspace): readonly Fault[] {
  return [...CHECKED_LISTS, COMPACTION_LIST].flatMap((list) => {
    const functions = listPathSources(workspace, list).flatMap((source) =>
      listTopLevelFunctions(source).map((name) => ({ name, path: source.path })),
    );
    return [...Map.groupBy(functions, ({ name }) => name).values()].flatMap(([first, ...others]) =>
      others.map(({ name, path }) => ({
        path,
        line: 1,
        sentence: `${name} is declared in ${first?.path} too, on the same path (${list}); name both by what they do`,
      })),
    );
  });
}

function listTopLevelFunctions(source: Source): readonly string[] {
  const names = [...source.text.matchAll(/^(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm)].map(
    ([, name]) => name ?? "",
  );
  return [...new Set(names)];
}

/** Words that older versions had for something that has another name now. Session files keep them as stored names. */
const RETIRED_WORDS = /^(?:stale|elid(?:e|es|ed|ing)|elisions?|reductions?|rungs?|wire)$/i;
const COMPACTION_FOLDERS = [
  ...["compaction/", "summary/", "summary-parts/", "context/"].map((folder) => `${CONTEXT_SOURCES}${folder}`),
  "packages/agent/src/compaction/",
];

export function checkRetiredWords({ sources }: Workspace): readonly Fault[] {
  return sources
    .filter(({ path }) => COMPACTION_FOLDERS.some((folder) => path.startsWith(folder)))
    .flatMap((source) => {
      const file = { name: source.path.slice(source.path.lastIndexOf("/") + 1), line: 1 };
      return [file, ...listDeclaredNames(source)].flatMap(({ name, line }) => {
        const word = name.split(/(?=[A-Z])|[^A-Za-z]/).find((each) => RETIRED_WORDS.test(each));
        return word
          ? [{ path: source.path, line, sentence: `${name} uses the retired word "${word.toLowerCase()}"` }]
          : [];
      });
    });
}

interface FileList {
  readonly line: number;
  readonly items: readonly { readonly file: string | null; readonly line: number }[];
  readonly files: readonly string[];
}

/** Every line between the marks is an item, a continuation that is indented, or empty. */
function readFileList({ architecture }: Workspace, name: string): FileList | null {
  const match = new RegExp(`<!-- ${name} -->\\n(.*?)<!-- end of ${name} -->`, "s").exec(architecture);
  if (match === null) return null;
  const line = lineAt(architecture, match.index);
  const items = (match[1] ?? "").split("\n").flatMap((text, index) => {
    if (/^\s|^$/.test(text)) return [];
    return [{ file: /^- `(packages\/[^`]+\.ts)`\W+\w/.exec(text)?.[1] ?? null, line: line + 1 + index }];
  });
  return { line, items, files: items.flatMap(({ file }) => file ?? []) };
}

function missingList(name: string): Fault {
  return { path: PAGE, line: 1, sentence: `has no list between \`<!-- ${name} -->\` and its end mark` };
}

function findMalformedItems({ items }: FileList): readonly Fault[] {
  const sentence = "is not an item of the form - `packages/…/x.ts`: what it does.";
  return items.filter(({ file }) => file === null).map(({ line }) => ({ path: PAGE, line, sentence }));
}

function findUnconnectedFiles(workspace: Workspace, { items, files }: FileList): readonly Fault[] {
  const sources = workspace.sources.filter(({ path }) => files.includes(path));
  const graphs = [relativeImportGraph({ ...workspace, sources }), valueImportGraph(workspace, sources)];
  const imports = (from: string, to: string): boolean => graphs.some((graph) => graph.get(from)?.includes(to));
  const portNames = new Map(sources.map((source) => [source.path, listPortNames(source)]));
  const sharesPort = (one: string, other: string): boolean =>
    (portNames.get(one) ?? []).some((name) => portNames.get(other)?.includes(name));
  return items.flatMap(({ file, line }, index) => {
    if (file === null) return [];
    if (!portNames.has(file)) return [{ path: PAGE, line, sentence: `${file} does not exist` }];
    const earlier = items.slice(0, index).flatMap((item) => item.file ?? []);
    const isConnected = earlier.some(
      (other) => imports(other, file) || imports(file, other) || sharesPort(file, other),
    );
    if (index === 0 || isConnected) return [];
    return [{ path: PAGE, line, sentence: `${file} has no import in common with a file that is listed before it` }];
  });
}

function listPortNames(source: Source): readonly string[] {
  return listImports(source).flatMap(({ target, names }) =>
    target !== null && PORT_FILES.includes(target) ? names.map(({ name }) => name) : [],
  );
}

const COMPACTION_LIST = "compaction path";

export function checkCompactionPath(workspace: Workspace): readonly Fault[] {
  const list = readFileList(workspace, COMPACTION_LIST);
  if (list === null) return [missingList(COMPACTION_LIST)];
  const malformed = findMalformedItems(list);
  if (malformed.length > 0) return malformed;
  const reachedFiles = listReachedFiles(workspace);
  if (reachedFiles.length === 0) return [{ path: PAGE, line: list.line, sentence: `${START_FILE} is not there` }];
  const called = findImportedFile(workspace, list.files.findLast(isAgentFile) ?? "", "compact");
  const expected = [...new Set([...(called === undefined ? [] : [called]), ...reachedFiles, END_FILE])];
  return [
    ...expected
      .filter((file) => !list.files.includes(file))
      .map((file) => ({ path: PAGE, line: list.line, sentence: `${file} is on the compaction path; list it` })),
    ...list.items
      .filter(({ file }) => file !== null && !isAgentFile(file) && !expected.includes(file))
      .map(({ file, line }) => ({ path: PAGE, line, sentence: `${file} is not on the compaction path; remove it` })),
    ...checkAgentFiles(workspace, list),
  ];
}

function isAgentFile(file: string): boolean {
  return file.startsWith("packages/agent/src/");
}

const REACHED_FOLDERS = ["compaction/", "summary/"].map((folder) => `${CONTEXT_SOURCES}${folder}`);
const START_FILE = `${CONTEXT_SOURCES}compaction/compact.ts`;
/** It is passed in, so the compaction does not import it. */
const SUMMARIZER_FILE = `${CONTEXT_SOURCES}summary-parts/model-summarizer.ts`;
const END_FILE = `${CONTEXT_SOURCES}session/session.ts`;

/** `compact.ts`, the summarizer, and the files of both folders that they reach. */
function listReachedFiles(workspace: Workspace): readonly string[] {
  const sources = workspace.sources.filter(
    ({ path }) => path === SUMMARIZER_FILE || REACHED_FOLDERS.some((folder) => path.startsWith(folder)),
  );
  const graph = valueImportGraph(workspace, sources);
  if (!graph.has(START_FILE)) return [];
  const starts = [START_FILE, SUMMARIZER_FILE].filter((file) => graph.has(file));
  return [...new Set(starts.flatMap((file) => [file, ...reachableFiles(graph, file)]))].filter((path) =>
    graph.has(path),
  );
}

/** Each listed file of the agent is imported by the one before it, and the last one calls `compact`. */
function checkAgentFiles(workspace: Workspace, list: FileList): readonly Fault[] {
  const files = list.files.filter(isAgentFile);
  const readText = (file: string): string => workspace.sources.find(({ path }) => path === file)?.text ?? "";
  const createFault = (sentence: string): Fault => ({ path: PAGE, line: list.line, sentence });
  const unlinked = files.slice(1).filter((file, index) => {
    const name = file.slice(file.lastIndexOf("/") + 1);
    return !readText(files[index] ?? "").includes(`/${name}"`);
  });
  const isCalled = /\bcompact\(/.test(readText(files.at(-1) ?? ""));
  return [
    ...(files.length === 0 ? [createFault("names no file of the agent")] : []),
    ...unlinked.map((file) => createFault(`${file} is not imported by the file listed before it`)),
    ...(isCalled ? [] : [createFault(`${files.at(-1) ?? "the agent"} does not call compact`)]),
  ];
}
