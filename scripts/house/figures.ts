/** Measures the structure of the sources: files per package, depth, gerund folders, long files, cycles. */

import type { Source } from "../source/source.ts";
import { cycles } from "./file-checks.ts";
import type { House } from "./house.ts";
import { countLines, depth, gerundFolders, isLong } from "./questions.ts";

/** Where source files are counted, by the name of the figure. */
const counted: Readonly<Record<string, string>> = {
  context_files: "packages/context/src/",
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

export type Figures = Readonly<Record<string, number | readonly string[]>>;

export function measureSources(house: House): Figures {
  const sources = house.sources.filter(({ path }) => !isTest(path));
  const [inside, outside] = split(sources, ({ path }) => path.startsWith(interactive));
  return {
    ...Object.fromEntries(Object.entries(counted).map(([name, folder]) => [name, countIn(sources, folder)])),
    depth: deepest(outside),
    depth_interactive: deepest(inside),
    gerund_folders: gerundFolders([...sources, ...house.tests]).length,
    files_over_500: sources.filter(isLong).map(({ path }) => path),
    median_lines: median(sources.map(countLines)),
    cycles: cycles(house).length,
  };
}

function isTest(path: string): boolean {
  return path.startsWith("scripts/test/");
}

function split(sources: readonly Source[], isInside: (source: Source) => boolean): readonly [Source[], Source[]] {
  return [sources.filter(isInside), sources.filter((source) => !isInside(source))];
}

function countIn(sources: readonly Source[], folder: string): number {
  return sources.filter(({ path }) => path.startsWith(folder)).length;
}

function deepest(sources: readonly Source[]): number {
  return Math.max(0, ...sources.map(({ path }) => depth(path)));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
