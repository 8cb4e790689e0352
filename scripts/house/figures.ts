/** Measures the structure of the sources, and compares the figures that have an aim with it. */

import { countLines, type Source } from "../source/source.ts";
import { countPathLines, listPathSources } from "./code-paths.ts";
import { countAgentBackArrows, listBackArrows, listExportedNames, listPiTuiImporters } from "./import-graph.ts";
import {
  folderDepth,
  isLong,
  listGerundFolders,
  listParticipleNames,
  listProseMarks,
  type ParticipleName,
} from "./questions.ts";
import { listTestIdiom } from "./test-idiom.ts";
import { CONTEXT_PACKAGE, CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

export type SourceFigures = Readonly<Record<string, number | readonly string[]>>;

/** The highest wanted value of a figure. */
export const AIMS: Readonly<Record<string, number>> = {
  context_files: 150,
  context_depth: 2,
  context_exports: 270,
  context_main_exports: 130,
  one_word_participles: 10,
  agent_files: 120,
  models_files: 50,
  testkit_files: 50,
  scripts_files: 35,
  agent_participles: 10,
  models_participles: 10,
  testkit_participles: 10,
  scripts_participles: 10,
  compaction_files: 26,
  compaction_lines: 7620,
  turn_lines: 1500,
  bash_lines: 1200,
  cli_files: 250,
  cli_participles: 20,
  cli_one_word_participles: 20,
  depth: 3,
  depth_interactive: 4,
  pi_tui_importers: 1,
  arrows_back: 3,
  agent_back_arrows: 5,
  prose_marks: 20,
  compact_command_lines: 1500,
  print_lines: 1200,
  gerund_folders: 0,
  scripts_lines: 7500,
};

/** Where source files are counted, by the name of the figure. */
const COUNTED_FOLDERS: Readonly<Record<string, string>> = {
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
const INTERACTIVE_FOLDER = "packages/cli/src/modes/interactive/";

export function measureSources(workspace: Workspace): SourceFigures {
  const sources = workspace.sources.filter(({ path }) => !path.startsWith("scripts/test/"));
  const listWithin = (folder: string) => sources.filter(({ path }) => path.startsWith(folder));
  const outside = sources.filter(({ path }) => !path.startsWith(INTERACTIVE_FOLDER));
  const counts = Object.entries(COUNTED_FOLDERS).map(([name, folder]) => [name, listWithin(folder).length]);
  return {
    ...Object.fromEntries(counts),
    depth: deepestFolder(outside),
    depth_interactive: deepestFolder(listWithin(INTERACTIVE_FOLDER)),
    files_over_500: sources.filter(isLong).map(({ path }) => path),
    median_lines: median(sources.map(countLines)),
    context_depth: deepestFolder(listWithin(CONTEXT_SOURCES)),
    ...countContextExports(workspace),
    one_word_participles: listParticipleNames(listWithin(CONTEXT_SOURCES)).length,
    ...countParticiples(listWithin),
    cli_one_word_participles: listParticipleNames(listWithin("packages/cli/src/")).filter(isOneWord).length,
    compaction_files: listPathSources(workspace, "compaction path").length,
    compaction_lines: countPathLines(workspace, "compaction path"),
    turn_lines: countPathLines(workspace, "turn path"),
    bash_lines: countPathLines(workspace, "bash path"),
    compact_command_lines: countPathLines(workspace, "compact command path"),
    print_lines: countPathLines(workspace, "print path"),
    pi_tui_importers: listPiTuiImporters(workspace).length,
    arrows_back: listBackArrows(workspace).length,
    agent_back_arrows: countAgentBackArrows(workspace),
    prose_marks: listProseMarks(workspace).length,
    gerund_folders: listGerundFolders(listWithin("packages/")).length,
    scripts_lines: listWithin("scripts/").reduce((sum, source) => sum + countLines(source), 0),
    test_idiom: listTestIdiom(listTests(workspace)).length,
    ...countTestHelpers(listTests(workspace)),
  };
}

/** The tests of the scripts are among the sources. */
function listTests({ sources, tests }: Workspace): readonly Source[] {
  return [...tests, ...sources.filter(({ path }) => path.startsWith("scripts/test/"))];
}

function countTestHelpers(tests: readonly Source[]): SourceFigures {
  const helpers = tests.filter(({ path }) => !path.endsWith(".test.ts"));
  return {
    test_helper_files: helpers.length,
    test_helper_lines: helpers.reduce((lines, helper) => lines + countLines(helper), 0),
  };
}

/** Names that are or begin with a participle, as `one_word_participles` counts them in context. */
function countParticiples(listWithin: (folder: string) => readonly Source[]): SourceFigures {
  const packages = ["agent_files", "cli_files", "models_files", "testkit_files", "scripts_files"];
  return Object.fromEntries(
    packages.map((name) => {
      const participles = listParticipleNames(listWithin(COUNTED_FOLDERS[name] ?? ""));
      return [name.replace("_files", "_participles"), participles.length];
    }),
  );
}

function isOneWord({ name, word }: ParticipleName): boolean {
  return name.toLowerCase() === word;
}

function deepestFolder(sources: readonly Source[]): number {
  return Math.max(0, ...sources.map(({ path }) => folderDepth(path)));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A name that two entry points export counts once. */
function countContextExports(workspace: Workspace): SourceFigures {
  const { name, entryPoints } = workspace.packages.find(({ folder }) => folder === CONTEXT_PACKAGE) ?? {};
  const count = (files: Iterable<string>) =>
    new Set([...files].flatMap((file) => listExportedNames(workspace, file))).size;
  const main = entryPoints?.get(name ?? "");
  return {
    context_exports: count(entryPoints?.values() ?? []),
    context_main_exports: count(main === undefined ? [] : [main]),
  };
}
