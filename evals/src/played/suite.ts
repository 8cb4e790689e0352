/** Runs `pnpm eval played`: what the model reads after each compaction of a recorded session, beside pi. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figures, Settings, Suite } from "@pith/bench/suite";
import { type FrontMeasures, measureFront } from "./measure-front.ts";
import { type PiCompaction, playPi } from "./play-pi.ts";
import { type PithCompaction, playPith } from "./play-pith.ts";
import {
  type Recording,
  readOwnSummaries,
  readRecordedSummaries,
  readRecording,
  type Summary,
  userTexts,
} from "./recording.ts";

export const playedSuite: Suite = {
  name: "played",
  about: "a recorded session compacted three times by the built program: size, ids, repetitions and facts, beside pi",
  run: runPlayed,
};

/** Once with the drafts of the recording, and once with those written for the prompt of today, where there are any. */
async function runPlayed({ say, out, peers = true }: Settings): Promise<Figures> {
  const recording = readRecording();
  const [recorded, own] = [readRecordedSummaries(), readOwnSummaries()];
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    const program = buildProgram(folder);
    const playBoth = async (summaries: readonly Summary[]): Promise<Played> => ({
      pith: await playPith(recording, { program, summaries }),
      pi: peers ? await playPi(recording, summaries) : [],
    });
    const first = await playBoth(recorded);
    const runs: PlayedRun[] = [{ name: "recorded", recording, ...first, baseline: first.pi }];
    if (own.length > 0) runs.push({ name: "own", recording, ...(await playBoth(own)), baseline: first.pi });
    if (out !== undefined) for (const run of runs) writeRun(join(out, run.name), run);
    return Object.assign({}, ...runs.map((run) => runFigures(run, say)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function buildProgram(folder: string): string {
  const build = join(import.meta.dirname, "../../../scripts/build-program.ts");
  execFileSync(process.execPath, [build, folder], { stdio: "pipe" });
  return join(folder, "pith.mjs");
}

interface Played {
  readonly pith: readonly PithCompaction[];
  /** Empty without peers. */
  readonly pi: readonly PiCompaction[];
}

interface PlayedRun extends Played {
  /** Which drafts were played. */
  readonly name: "recorded" | "own";
  readonly recording: Recording;
  /** pi with the recorded drafts: what pi's front is in this session, whatever our prompt asks for. */
  readonly baseline: readonly PiCompaction[];
}

/** The figures of the last compaction have plain names; those before it have its number behind them. */
function runFigures(run: PlayedRun, say: Settings["say"]): Figures {
  const ending = run.name === "recorded" ? "_recorded" : "";
  const places = [...run.pith.keys()].reverse();
  const named = places.map((at) => {
    const isLast = at === run.pith.length - 1;
    const place = isLast ? "" : `_${at + 1}`;
    const figures = Object.entries({ ...sizeFigures(run, at), ...(isLast && factFigures(run, at)) });
    return figures.map(([name, value]) => [`${name}${ending}${place}`, value]);
  });
  for (const at of run.pith.keys()) say(`${run.name} drafts, compaction ${at + 1}: ${describeCompaction(run, at)}`);
  return Object.fromEntries(named.flat());
}

function sizeFigures(run: PlayedRun, at: number): Figures {
  const { tokens, idsShare, requestRepeats, uniqueShare } = measureSide(run, run.pith[at], at);
  const [baseline, same] = [run.baseline[at], run.pi[at]];
  const tokensOf = (side: PiCompaction): number => measureSide(run, side, at).tokens;
  return {
    front_tokens: tokens,
    ...(baseline && { front_tokens_pi: tokensOf(baseline), front_x_pi: tokens / tokensOf(baseline) }),
    ...(same && same !== baseline && { front_x_pi_same_drafts: tokens / tokensOf(same) }),
    ids_share: idsShare,
    request_repeats: requestRepeats,
    unique_share: uniqueShare,
    calls_per_compaction: run.pith[at]?.calls ?? 0,
    citations_untranslated: run.pith[at]?.untranslated.length ?? 0,
  };
}

/** The facts are those of the whole session, so that only its last compaction can have all of them. */
function factFigures(run: PlayedRun, at: number): Figures {
  const baseline = run.baseline[at];
  return {
    facts_kept: measureSide(run, run.pith[at], at).factsKept,
    ...(baseline && { facts_kept_pi: measureSide(run, baseline, at).factsKept }),
  };
}

/** `side`: what our program or pi made of the compaction at this place. */
function measureSide(
  { recording }: PlayedRun,
  side: PithCompaction | PiCompaction | undefined,
  at: number,
): FrontMeasures {
  if (!side) throw new Error(`compaction ${at + 1} was not played`);
  const rows = recording.stretches.slice(0, at + 1).flat();
  const covered = rows.slice(
    0,
    rows.findIndex(({ id }) => id === side.firstKeptEntryId),
  );
  return measureFront(side, { userTexts: userTexts(rows), request: userTexts(covered).at(-1) ?? "" });
}

function describeCompaction(run: PlayedRun, at: number): string {
  const { calls = 0, untranslated = [], firstKeptEntryId } = run.pith[at] ?? {};
  const { tokens, idsShare, uniqueShare, requestRepeats, factsLost } = measureSide(run, run.pith[at], at);
  const peer = run.pi[at];
  const isLast = at === run.pith.length - 1;
  return [
    `${tokens} tokens`,
    ...(peer ? [`pi ${measureSide(run, peer, at).tokens}`] : []),
    `ids ${(100 * idsShare).toFixed(1)} %`,
    `unique ${(100 * uniqueShare).toFixed(1)} %`,
    `the request ${requestRepeats} times`,
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    ...(peer && peer.firstKeptEntryId !== firstKeptEntryId ? ["pi cuts at another place"] : []),
    ...(untranslated.length > 0 ? [`not translated: ${untranslated.join(", ")}`] : []),
    ...(isLast && factsLost.length > 0 ? [`lost: ${factsLost.join("; ")}`] : []),
  ].join(", ");
}

/** The fronts of both sides, the messages behind ours, the requests with the drafts that answered them, and what was to be corrected. */
function writeRun(folder: string, { pith, pi }: PlayedRun): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), `${text}\n`);
  for (const [at, { text, tail, corrections }] of pith.entries()) {
    write(`front-${at + 1}.txt`, text);
    write(`tail-${at + 1}.txt`, tail);
    if (corrections.length > 0) write(`corrections-${at + 1}.txt`, corrections.join("\n\n"));
  }
  for (const [at, { text }] of pi.entries()) write(`front-${at + 1}-pi.txt`, text);
  const summaries = pith.map(({ request, draft }, at) => ({ kind: `compaction ${at + 1}`, request, draft }));
  write("requests.json", JSON.stringify(summaries, null, 2));
}
