/** Measures the structure of the sources, and compares the figures that have an aim with it. */

import { countLines, type Source } from "../source/source.ts";
import { countCompactionLines } from "./compaction-path.ts";
import { exportedNames, filesInCycles, relativeImports } from "./import-graph.ts";
import { listGerundFolders, listParticipleNames } from "./participles.ts";
import { folderDepth, isLong } from "./questions.ts";
import { CONTEXT_PACKAGE, CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

export type Figures = Readonly<Record<string, number | readonly string[]>>;

/** The highest wanted value of a figure. */
export const AIMS: Readonly<Record<string, number>> = {
  context_files: 150,
  context_depth: 2,
  context_exports: 270,
  context_main_exports: 130,
  one_word_participles: 10,
  compaction_lines: 2600,
  gerund_folders: 0,
  cycles: 0,
};

/** Where source files are counted, by the name of the figure. */
const countedFolders: Readonly<Record<string, string>> = {
  context_files: CONTEXT_SOURCES,
  agent_files: "packages/agent/src/",
  cli_files: "packages/cli/src/",
  models_files: "packages/models/src/",
  client_files: "packages/client/src/",
  testkit_files: "packages/testkit/src/",
  scripts_files: "scripts/",
  bench_files: "bench/src/",
  evals_files: "evals/src/",
};
const interactive = "packages/cli/src/modes/interactive/";

export function measureSources(workspace: Workspace): Figures {
  const sources = workspace.sources.filter(({ path }) => !path.startsWith("scripts/test/"));
  const within = (folder: string) => sources.filter(({ path }) => path.startsWith(folder));
  const outside = sources.filter(({ path }) => !path.startsWith(interactive));
  const counts = Object.entries(countedFolders).map(([name, folder]) => [name, within(folder).length]);
  return {
    ...Object.fromEntries(counts),
    depth: deepestFolder(outside),
    depth_interactive: deepestFolder(within(interactive)),
    files_over_500: sources.filter(isLong).map(({ path }) => path),
    median_lines: median(sources.map(countLines)),
    context_depth: deepestFolder(within(CONTEXT_SOURCES)),
    ...countContextExports(workspace),
    one_word_participles: listParticipleNames(within(CONTEXT_SOURCES)).length,
    compaction_lines: countCompactionLines(workspace),
    gerund_folders: listGerundFolders(within("packages/")).length,
    cycles: filesInCycles(relativeImports(workspace)).length,
  };
}

function deepestFolder(sources: readonly Source[]): number {
  return Math.max(0, ...sources.map(({ path }) => folderDepth(path)));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A name that two entry points export counts once. */
function countContextExports(workspace: Workspace): Figures {
  const { name, doors } = workspace.packages.find(({ folder }) => folder === CONTEXT_PACKAGE) ?? {};
  const count = (files: Iterable<string>) => new Set([...files].flatMap((file) => exportedNames(workspace, file))).size;
  const main = doors?.get(name ?? "");
  return {
    context_exports: count(doors?.values() ?? []),
    context_main_exports: count(main === undefined ? [] : [main]),
  };
}
