/** Runs `pnpm eval played`: the model's context after each compaction of a recorded session, compared with pi. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { type FrontMeasures, measureFront } from "./measure-front.ts";
import { type PiCompaction, playPi } from "./play-pi.ts";
import { findBuiltProgram, type PithCompaction, playPith } from "./play-pith.ts";
import {
  listUserTexts,
  type RecordedSummary,
  type Recording,
  readOwnSummaries,
  readRecordedSummaries,
  readRecording,
} from "./recording.ts";

export const playedSuite: Suite = {
  name: "played",
  description:
    "a recorded session compacted three times by the built program: size, ids, repetitions and facts, compared with pi",
  run: runPlayed,
};

/** Plays the session with the drafts of the recording and, if they exist, with those for the current prompt. */
async function runPlayed({ log, out, peers = true }: SuiteOptions): Promise<Figures> {
  const recording = readRecording();
  const [recordedSummaries, ownSummaries] = [readRecordedSummaries(), readOwnSummaries()];
  const program = findBuiltProgram();
  const runBoth = async (summaries: readonly RecordedSummary[]): Promise<PlayResult> => ({
    pith: await playPith(recording, { program, summaries, isCached: false }),
    pi: peers ? await playPi(recording, summaries) : [],
  });
  const recordedRun = await runBoth(recordedSummaries);
  const runs: PlayedRun[] = [{ name: "recorded", recording, ...recordedRun, baseline: recordedRun.pi }];
  if (ownSummaries.length > 0) {
    const ownRun = await runBoth(ownSummaries);
    runs.push({ name: "own", recording, ...ownRun, baseline: recordedRun.pi });
    const pith = await playPith(recording, { program, summaries: ownSummaries, isCached: true });
    runs.push({ name: "same-prefix", recording, pith, pi: ownRun.pi, baseline: recordedRun.pi });
  }
  if (out !== undefined) for (const run of runs) writeRun(join(out, run.name), run);
  return Object.assign({}, ...runs.map((run) => toFigures(run, log)));
}

interface PlayResult {
  readonly pith: readonly PithCompaction[];
  /** Empty without peers. */
  readonly pi: readonly PiCompaction[];
}

interface PlayedRun extends PlayResult {
  /** The drafts that were played: those of the recording, our own, and our own after the session's last request. */
  readonly name: "recorded" | "own" | "same-prefix";
  readonly recording: Recording;
  /** pi with the recorded drafts, which do not depend on our prompt. */
  readonly baseline: readonly PiCompaction[];
}

const FIGURE_SUFFIXES = { recorded: "_recorded", own: "", "same-prefix": "_same_prefix" } as const;

/** The figures of the last compaction have plain names; those of earlier ones end with the number of the compaction. */
function toFigures(run: PlayedRun, log: SuiteOptions["log"]): Figures {
  const suffix = FIGURE_SUFFIXES[run.name];
  const indexes = [...run.pith.keys()].reverse();
  const figureEntries = indexes.map((index) => {
    const isLast = index === run.pith.length - 1;
    const compactionSuffix = isLast ? "" : `_${index + 1}`;
    const figures = Object.entries({ ...toSizeFigures(run, index), ...(isLast && toFactFigures(run, index)) });
    return figures.map(([name, value]) => [`${name}${suffix}${compactionSuffix}`, value]);
  });
  for (const index of run.pith.keys())
    log(`${run.name} drafts, compaction ${index + 1}: ${describeCompaction(run, index)}`);
  return Object.fromEntries(figureEntries.flat());
}

function toSizeFigures(run: PlayedRun, index: number): Figures {
  const { tokens, idsShare, requestRepeats, uniqueShare } = measureCompaction(run, run.pith[index], index);
  const [baseline, sameDrafts] = [run.baseline[index], run.pi[index]];
  const countTokens = (compaction: PiCompaction): number => measureCompaction(run, compaction, index).tokens;
  return {
    front_tokens: tokens,
    ...(baseline && { front_tokens_pi: countTokens(baseline), front_x_pi: tokens / countTokens(baseline) }),
    ...(sameDrafts && sameDrafts !== baseline && { front_x_pi_same_drafts: tokens / countTokens(sameDrafts) }),
    ids_share: idsShare,
    request_repeats: requestRepeats,
    unique_share: uniqueShare,
    calls_per_compaction: run.pith[index]?.calls ?? 0,
    citations_untranslated: run.pith[index]?.untranslated.length ?? 0,
  };
}

/** The facts are spread over the whole session, so that only the last compaction can have all of them. */
function toFactFigures(run: PlayedRun, index: number): Figures {
  const baseline = run.baseline[index];
  return {
    facts_kept: measureCompaction(run, run.pith[index], index).factsKept,
    ...(baseline && { facts_kept_pi: measureCompaction(run, baseline, index).factsKept }),
  };
}

function measureCompaction(
  { recording }: PlayedRun,
  compaction: PithCompaction | PiCompaction | undefined,
  index: number,
): FrontMeasures {
  if (!compaction) throw new Error(`compaction ${index + 1} was not played`);
  const rows = recording.segments.slice(0, index + 1).flat();
  const covered = rows.slice(
    0,
    rows.findIndex(({ id }) => id === compaction.firstKeptEntryId),
  );
  return measureFront(compaction, { userTexts: listUserTexts(rows), request: listUserTexts(covered).at(-1) ?? "" });
}

function describeCompaction(run: PlayedRun, index: number): string {
  const { calls = 0, untranslated = [], firstKeptEntryId } = run.pith[index] ?? {};
  const { tokens, idsShare, uniqueShare, requestRepeats, factsLost } = measureCompaction(run, run.pith[index], index);
  const peer = run.pi[index];
  const isLast = index === run.pith.length - 1;
  return [
    `${tokens} tokens`,
    ...(peer ? [`pi ${measureCompaction(run, peer, index).tokens}`] : []),
    `ids ${(100 * idsShare).toFixed(1)}%`,
    `unique ${(100 * uniqueShare).toFixed(1)}%`,
    `the request ${requestRepeats} times`,
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    ...(peer && peer.firstKeptEntryId !== firstKeptEntryId ? ["pi cuts at another entry"] : []),
    ...(untranslated.length > 0 ? [`not translated: ${untranslated.join(", ")}`] : []),
    ...(isLast && factsLost.length > 0 ? [`lost: ${factsLost.join("; ")}`] : []),
  ].join(", ");
}

/** Writes the fronts of both programs, the messages after ours, the requests with their drafts, and the corrections. */
function writeRun(folder: string, { pith, pi }: PlayedRun): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), `${text}\n`);
  for (const [index, { text, tail, corrections }] of pith.entries()) {
    write(`front-${index + 1}.txt`, text);
    write(`tail-${index + 1}.txt`, tail);
    if (corrections.length > 0) write(`corrections-${index + 1}.txt`, corrections.join("\n\n"));
  }
  for (const [index, { text }] of pi.entries()) write(`front-${index + 1}-pi.txt`, text);
  const summaries = pith.map(({ request, draft }, index) => ({ kind: `compaction ${index + 1}`, request, draft }));
  write("requests.json", JSON.stringify(summaries, null, 2));
}
