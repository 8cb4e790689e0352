/** Runs `pnpm bench search`: what it costs to search 5,000 sessions of 1 GB, and to index them for the first time. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { runProgram } from "../session/setup.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { type CorpusShape, writeCorpus } from "./corpus.ts";
import { makeQueries, QUERY_KINDS, type QueryKind, type SearchQuery } from "./questions.ts";

export const searchSuite: Suite = {
  name: "search",
  description: "search and list 5,000 sessions of 1 GB: common, rare, phrase, prefix, path and CJK questions",
  run: ({ quick, seed, log }) => runSearch({ ...(quick ? QUICK : FULL), seed, log }),
};

/** How much is written, and how much is asked. */
export interface SearchOptions extends CorpusShape, Pick<SuiteOptions, "log"> {
  /** Questions of each kind. */
  readonly each: number;
  /** How often all of them are asked, each time by a new program. */
  readonly runs: number;
}

const QUICK = { sessions: 500, bytes: 100e6, each: 10, runs: 3 };
const FULL = { sessions: 5_000, bytes: 1e9, each: 25, runs: 3 };

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
  log("reading them for the first time");
  const indexing = await runProgram<IndexingResult>(programPath("first-reading"), packageFolder, pithHome);
  const queries = makeQueries(pithHome, { countPerKind: queriesPerKind, seed });
  log(`${queries.length} questions, one after the other, then some with a pause between`);
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

/** Longer than a look at files that rest is good for, so that each search looks at all of them. */
const PAUSE_MS = 600;

interface IndexingResult {
  readonly indexMs: number;
  /** The longest that nothing else had a turn. */
  readonly blockMs: number;
  readonly rssMb: number;
}

interface TimedQuery extends SearchQuery {
  readonly ms: number;
  /** What the processor worked for it; unlike the time, hardly longer where others work, too. */
  readonly cpuMs: number;
  readonly hits: number;
}

interface SearchResults {
  /** The first question of a new process. */
  readonly coldMs: number;
  readonly answers: readonly TimedQuery[];
  readonly afters: readonly number[];
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

// Of each question the median of all programs that asked it: what another program does on the machine meanwhile is not ours.
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

// Quick answers are worth nothing if they are empty.
function requireHits(answers: readonly TimedQuery[]): void {
  const empty = answers.find(({ kind, hits }) => hits === 0 && kind !== "rare");
  if (empty) throw new Error(`${empty.query} stands in a session, but was not found`);
}

async function measureListing({ packageFolder, pithHome }: SearchFolders, rounds: number): Promise<Figures> {
  const list = (): Promise<{ readonly listMs: number }> => runProgram("list.mjs", packageFolder, pithHome);
  const first = await list();
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) warm.push((await list()).listMs);
  return { list_ms: median(warm), list_first_ms: first.listMs };
}

/** The programs of the session suite are started the same way. */
const programPath = (name: string): string => `../../search/programs/${name}.mjs`;
