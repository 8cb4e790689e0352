/**
 * Checks the list of files in ARCHITECTURE.md that shows one compaction from the agent's loop to the appended batch.
 *
 * The list starts with files of the agent. Then come the file that declares the `compact` which the agent calls, `compaction/compact.ts`
 * and every file of its folder that it reaches by value imports, and last the session, which appends the batch. `valueImportGraph` says what
 * counts as a value import.
 */

import type { Fault } from "../fault.ts";
import { type FileList, findMalformedItems, missingList, readFileList } from "./code-paths.ts";
import { findImportedFile, reachableFiles, valueImportGraph } from "./import-graph.ts";
import { CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

const PAGE = "ARCHITECTURE.md";
const LIST_NAME = "compaction path";

export function checkCompactionPath(workspace: Workspace): readonly Fault[] {
  const list = readFileList(workspace, LIST_NAME);
  if (list === null) return [missingList(LIST_NAME)];
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

const COMPACTION_FOLDER = `${CONTEXT_SOURCES}compaction/`;
const START_FILE = `${COMPACTION_FOLDER}compact.ts`;
const END_FILE = `${CONTEXT_SOURCES}session/session.ts`;

/** `compact.ts` and the files of its folder that it reaches. */
function listReachedFiles(workspace: Workspace): readonly string[] {
  const sources = workspace.sources.filter(({ path }) => path.startsWith(COMPACTION_FOLDER));
  const graph = valueImportGraph(workspace, sources);
  if (!graph.has(START_FILE)) return [];
  return [
    START_FILE,
    ...[...reachableFiles(graph, START_FILE)].filter((path) => graph.has(path) && path !== START_FILE),
  ];
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
