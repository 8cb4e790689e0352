/**
 * `pnpm test:changed [FILE…] [--since REF] [--seconds N] [--list]`: runs the tests nearest to what changed, or to these files. Tests that
 * import a changed file directly come first, then those that reach it through other files. It takes as many as ran in the given time
 * before, and prints how many it left to CI.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ImportGraph, valueImportGraph } from "./house/import-graph.ts";
import { readWorkspace } from "./house/workspace.ts";
import { readFolder } from "./source/source.ts";
import { readTimes } from "./vitest/file-reporter.ts";

const root = join(import.meta.dirname, "..");
/** Starts the built program, so its users depend on all that the program imports. */
const BUILT_PROGRAM = "packages/cli/test/support/built-program.ts";
const PROGRAM_ENTRY = "packages/cli/src/launcher.ts";
/** For a file that has not run yet. */
const UNKNOWN_SECONDS = 2;

function runScript(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      since: { type: "string", default: "HEAD" },
      seconds: { type: "string", default: "45" },
      list: { type: "boolean", default: false },
    },
  });
  const changed = positionals.length > 0 ? positionals : listChangedFiles(values.since);
  const related = rankTests(readImportGraph(), changed);
  const chosen = chooseTests(related, Number(values.seconds));
  console.log(
    `${changed.length} changed files, ${related.length} test files that reach them, the nearest ${chosen.length}:`,
  );
  for (const file of chosen) console.log(`  ${file}`);
  if (chosen.length > 0 && !values.list) {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const { status } = spawnSync(process.execPath, [vitest, "run", ...chosen], { cwd: root, stdio: "inherit" });
    process.exitCode = status ?? 1;
  }
  const left = related.length - chosen.length;
  if (left > 0) console.log(`${left} more test files reach the change; CI runs them, and so does --seconds 900.`);
}

function listChangedFiles(since: string): readonly string[] {
  const git = (...args: readonly string[]): string[] =>
    execFileSync("git", [...args, "-z"], { cwd: root, encoding: "utf8" }).split("\0");
  const files = [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")];
  return [...new Set(files.filter((file) => file.endsWith(".ts")))];
}

/** What each source and test file imports, to the file that declares each name. */
export function readImportGraph(): ImportGraph {
  const workspace = readWorkspace(root);
  const tests = [...workspace.tests, ...readFolder(root, "bench/test")];
  const graph = new Map(valueImportGraph(workspace, [...workspace.sources, ...tests]));
  graph.set(BUILT_PROGRAM, [...(graph.get(BUILT_PROGRAM) ?? []), PROGRAM_ENTRY]);
  return graph;
}

/** Test files that reach a changed file, nearest first. Among equally near ones, those of the changed package and folder come first. */
export function rankTests(graph: ImportGraph, changedFiles: readonly string[]): readonly string[] {
  const distances = measureDistances(graph, changedFiles);
  const times = readTimes();
  const tests = [...distances.keys()].filter((file) => file.endsWith(".test.ts"));
  const ranks = new Map(
    tests.map((file) => [file, [distances.get(file) ?? 0, -countSharedFolders(file, changedFiles), times[file] ?? 0]]),
  );
  return tests.sort((a, b) => compareRanks(ranks.get(a) ?? [], ranks.get(b) ?? []));
}

/** How many imports lead from each file to the nearest changed one. */
function measureDistances(graph: ImportGraph, starts: readonly string[]): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of graph)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  const distances = new Map(starts.map((file) => [file, 0]));
  const queue = [...starts];
  for (const file of queue)
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, (distances.get(file) ?? 0) + 1);
      queue.push(importer);
    }
  return distances;
}

/** The folders that a test has in common with the nearest changed file, where `src` and `test` are the same. */
function countSharedFolders(file: string, changedFiles: readonly string[]): number {
  const folders = file.replace("/test/", "/src/").split("/").slice(0, -1);
  const counts = changedFiles.map((other) => {
    const others = other.replace("/test/", "/src/").split("/");
    const end = folders.findIndex((folder, at) => folder !== others[at]);
    return end === -1 ? folders.length : end;
  });
  return Math.max(0, ...counts);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** As many as two workers run in this time. The nearest one always runs. */
function chooseTests(files: readonly string[], seconds: number): readonly string[] {
  const times = readTimes();
  let left = seconds * 2;
  return files.filter((file, index) => {
    left -= times[file] ?? UNKNOWN_SECONDS;
    return index === 0 || left >= 0;
  });
}

if (import.meta.main) runScript();
