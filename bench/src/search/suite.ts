/** Runs `pnpm bench search`: the time to search 5,000 sessions of 1 GB, and to index them for the first time. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { runProgram } from "../session/setup.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { type CorpusShape, writeCorpus } from "./corpus.ts";
import { makeQueries, QUERY_KINDS, type QueryKind, type SearchQuery } from "./questions.ts";

const QUICK = { sessions: 500, bytes: 100e6, each: 10, runs: 3 };
const FULL = { sessions: 5_000, bytes: 1e9, each: 25, runs: 3 };

/** Longer than a check of unchanged files stays valid, so that each search checks all files again. */
const PAUSE_MS = 600;

/** Relative to the programs of the session suite, whose `runProgram` starts them. */
const programPath = (name: string): string => `../../search/programs/${name}.mjs`;

export const searchSuite: Suite = {
  name: "search",
  description: "search and list 5,000 sessions of 1 GB: common, rare, phrase, prefix, path and CJK queries",
  run: ({ quick, seed, log }) => runSearch({ ...(quick ? QUICK : FULL), seed, log }),
};

/** The size of the corpus and the number of queries. */
export interface SearchOptions extends CorpusShape, Pick<SuiteOptions, "log"> {
  /** The number of queries of each kind. */
  readonly each: number;
  /** The number of runs of all queries, each in a new process. */
  readonly runs: number;
}

export async function runSearch(options: SearchOptions): Promise<Figures> {
  const { log, sessions } = options;
  const [installFolder, pithHome] = [
    mkdtempSync(join(tmpdir(), "pith-built-")),
    mkdtempSync(join(tmpdir(), "pith-bench-")),
  ];
  try {
    log("packing the package");
    const { folder: packageFolder, description } = await installBuiltContext(installFolder);
    log(`writing ${sessions} sessions, ${options.bytes / 1e6} MB`);
    const bytes = writeCorpus(pithHome, options);
    return {
      measured: description,
      sessions,
      mb: bytes / 1e6,
      ...(await measureSearch({ packageFolder, pithHome }, { ...options, bytes })),
    };
  } finally {
    rmSync(installFolder, { recursive: true });
    rmSync(pithHome, { recursive: true });
  }
}

/** The folder of the built package, and that of the sessions. */
interface SearchFolders {
  readonly packageFolder: string;
  readonly pithHome: string;
}

async function measureSearch(
  folders: SearchFolders,
  { bytes, seed, each: queriesPerKind, runs, log }: SearchOptions,
): Promise<Figures> {
  const { packageFolder, pithHome } = folders;
  log("indexing them for the first time");
  const indexing = await runProgram<IndexingResult>(programPath("first-reading"), packageFolder, pithHome);
  const queries = makeQueries(pithHome, { countPerKind: queriesPerKind, seed });
  log(`${queries.length} queries without pauses, then some with pauses`);
  const runResults: SearchResults[] = [];
  for (let run = 0; run < runs; run++) runResults.push(await runQueries(folders, queries, 0));
  const everyFifth = queries.filter((_, index) => index % 5 === 0);
  const pausedResult = await runQueries(folders, everyFifth, PAUSE_MS);
  requireHits(runResults.flatMap(({ answers }) => answers));
  return {
    ...queryFigures(queries, runResults),
    search_spaced_ms_p95: quantile(
      pausedResult.answers.map(({ ms }) => ms),
      0.95,
    ),
    search_cold_ms: median([...runResults, pausedResult].map(({ coldMs }) => coldMs)),
    found_after_ms: Math.max(...runResults.flatMap(({ afters }) => afters)),
    ...(await measureListing(folders, runs * 3)),
    index_mb_per_s: bytes / 1e3 / indexing.indexMs,
    index_share: statSync(join(pithHome, "search.db")).size / bytes,
    index_block_ms: indexing.blockMs,
    index_rss_mb: indexing.rssMb,
  };
}

interface IndexingResult {
  readonly indexMs: number;
  /** The longest time that the event loop was blocked. */
  readonly blockMs: number;
  readonly rssMb: number;
}

interface SearchResults {
  /** The time of the first query of a new process. */
  readonly coldMs: number;
  readonly answers: readonly TimedQuery[];
  readonly afters: readonly number[];
}

interface TimedQuery extends SearchQuery {
  readonly ms: number;
  /** The CPU time. Unlike the elapsed time, it hardly depends on other load. */
  readonly cpuMs: number;
  readonly hits: number;
}

function runQueries(
  { packageFolder, pithHome }: SearchFolders,
  queries: readonly SearchQuery[],
  pauseMs: number,
): Promise<SearchResults> {
  return runProgram<SearchResults>(
    programPath("search"),
    packageFolder,
    pithHome,
    JSON.stringify(queries),
    String(pauseMs),
  );
}

// A fast search that finds nothing is not a valid measurement.
function requireHits(answers: readonly TimedQuery[]): void {
  const empty = answers.find(({ kind, hits }) => hits === 0 && kind !== "rare");
  if (empty) throw new Error(`no hit for ${empty.query}, which is in a session`);
}

// Uses the median of all runs for each query, so that other load on the machine matters less.
function queryFigures(queries: readonly SearchQuery[], rounds: readonly SearchResults[]): Figures {
  const medianPerQuery = (pick: (answer: TimedQuery) => number): readonly number[] =>
    queries.map((_, index) => median(rounds.flatMap(({ answers }) => answers[index] ?? []).map(pick)));
  const medianTimes = medianPerQuery(({ ms }) => ms);
  const timesOfKind = (kind: QueryKind): readonly number[] =>
    medianTimes.filter((_, index) => queries[index]?.kind === kind);
  return {
    search_ms_p95: quantile(medianTimes, 0.95),
    search_ms_p50: median(medianTimes),
    search_ms_worst: Math.max(...rounds.flatMap(({ answers }) => answers.map(({ ms }) => ms))),
    search_cpu_ms_p95: quantile(
      medianPerQuery(({ cpuMs }) => cpuMs),
      0.95,
    ),
    ...Object.fromEntries(QUERY_KINDS.map((kind) => [`${kind}_ms_p95`, quantile(timesOfKind(kind), 0.95)])),
  };
}

async function measureListing({ packageFolder, pithHome }: SearchFolders, rounds: number): Promise<Figures> {
  const list = (): Promise<{ readonly listMs: number }> => runProgram("list.mjs", packageFolder, pithHome);
  const first = await list();
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) warm.push((await list()).listMs);
  return { list_ms: median(warm), list_first_ms: first.listMs };
}
