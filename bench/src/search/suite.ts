/** Runs `pnpm bench search`: what it costs to search 5,000 sessions of 1 GB, and to index them for the first time. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { fresh } from "../session/setup.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { type CorpusShape, writeCorpus } from "./corpus.ts";
import { type Asked, KINDS, type Kind, questions } from "./questions.ts";

export const searchSuite: Suite = {
  name: "search",
  about: "search and list 5,000 sessions of 1 GB: common, rare, phrase, prefix, path and CJK questions",
  run: ({ quick, seed, say }) => runSearch({ ...(quick ? QUICK : WHOLE), seed, say }),
};

/** How much is written, and how much is asked. */
export interface Pile extends CorpusShape, Pick<Settings, "say"> {
  /** Questions of each kind. */
  readonly each: number;
  /** How often all of them are asked, each time by a new program. */
  readonly runs: number;
}

const QUICK = { sessions: 500, bytes: 100e6, each: 10, runs: 3 };
const WHOLE = { sessions: 5_000, bytes: 1e9, each: 25, runs: 3 };

export async function runSearch(pile: Pile): Promise<Figures> {
  const { say, sessions } = pile;
  const [folder, pithHome] = [mkdtempSync(join(tmpdir(), "pith-built-")), mkdtempSync(join(tmpdir(), "pith-bench-"))];
  try {
    say("packing the package");
    const { home, measured } = await installBuiltContext(folder);
    say(`writing ${sessions} sessions, ${pile.bytes / 1e6} MB`);
    const bytes = writeCorpus(pithHome, pile);
    return { measured, sessions, mb: bytes / 1e6, ...(await searchFigures({ home, pithHome }, { ...pile, bytes })) };
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(pithHome, { recursive: true });
  }
}

/** The folder of the built package, and that of the sessions. */
interface Folders {
  readonly home: string;
  readonly pithHome: string;
}

async function searchFigures(folders: Folders, { bytes, seed, each, runs, say }: Pile): Promise<Figures> {
  const { home, pithHome } = folders;
  say("reading them for the first time");
  const first = await fresh<FirstReading>(program("first-reading"), home, pithHome);
  const asked = questions(pithHome, { each, seed });
  say(`${asked.length} questions, one after the other, then some with a pause between`);
  const rounds: Answers[] = [];
  for (let run = 0; run < runs; run++) rounds.push(await ask(folders, asked, 0));
  const few = asked.filter((_, at) => at % 5 === 0);
  const spaced = await ask(folders, few, PAUSE);
  checkFound(rounds.flatMap(({ answers }) => answers));
  return {
    ...times(asked, rounds),
    search_spaced_ms_p95: quantile(
      spaced.answers.map(({ ms }) => ms),
      0.95,
    ),
    search_cold_ms: median([...rounds, spaced].map(({ coldMs }) => coldMs)),
    found_after_ms: Math.max(...rounds.flatMap(({ afters }) => afters)),
    ...(await listFigures(folders, runs * 3)),
    index_mb_per_s: bytes / 1e3 / first.indexMs,
    index_share: statSync(join(pithHome, "search.db")).size / bytes,
    index_block_ms: first.blockMs,
    index_rss_mb: first.rssMb,
  };
}

/** Longer than a look at files that rest is good for, so that each search looks at all of them. */
const PAUSE = 600;

interface FirstReading {
  readonly indexMs: number;
  /** The longest that nothing else had a turn. */
  readonly blockMs: number;
  readonly rssMb: number;
}

interface Answer extends Asked {
  readonly ms: number;
  /** What the processor worked for it; unlike the time, hardly longer where others work, too. */
  readonly cpuMs: number;
  readonly hits: number;
}

interface Answers {
  /** The first question of a new process. */
  readonly coldMs: number;
  readonly answers: readonly Answer[];
  readonly afters: readonly number[];
}

function ask({ home, pithHome }: Folders, asked: readonly Asked[], pause: number): Promise<Answers> {
  return fresh<Answers>(program("search"), home, pithHome, JSON.stringify(asked), String(pause));
}

// Of each question the median of all programs that asked it: what another program does on the machine meanwhile is not ours.
function times(asked: readonly Asked[], rounds: readonly Answers[]): Figures {
  const each = (pick: (answer: Answer) => number): readonly number[] =>
    asked.map((_, at) => median(rounds.flatMap(({ answers }) => answers[at] ?? []).map(pick)));
  const all = each(({ ms }) => ms);
  const of = (kind: Kind): readonly number[] => all.filter((_, at) => asked[at]?.kind === kind);
  return {
    search_ms_p95: quantile(all, 0.95),
    search_ms_p50: median(all),
    search_ms_worst: Math.max(...rounds.flatMap(({ answers }) => answers.map(({ ms }) => ms))),
    search_cpu_ms_p95: quantile(
      each(({ cpuMs }) => cpuMs),
      0.95,
    ),
    ...Object.fromEntries(KINDS.map((kind) => [`${kind}_ms_p95`, quantile(of(kind), 0.95)])),
  };
}

// Quick answers are worth nothing if they are empty.
function checkFound(answers: readonly Answer[]): void {
  const empty = answers.find(({ kind, hits }) => hits === 0 && kind !== "rare");
  if (empty) throw new Error(`${empty.query} stands in a session, but was not found`);
}

async function listFigures({ home, pithHome }: Folders, rounds: number): Promise<Figures> {
  const list = (): Promise<{ readonly listMs: number }> => fresh("list.mjs", home, pithHome);
  const first = await list();
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) warm.push((await list()).listMs);
  return { list_ms: median(warm), list_first_ms: first.listMs };
}

/** The programs of the session suite are started the same way. */
const program = (name: string): string => `../../search/programs/${name}.mjs`;
