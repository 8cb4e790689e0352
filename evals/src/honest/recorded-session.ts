/** Plays the recorded session with rules through the built program, and compares the lines of its drafts with what the model reads afterwards. */

import type { Figures } from "@pith/bench/suite";
import { findBuiltProgram, type PithCompaction, playPith } from "../played/play-pith.ts";
import { readNumberedDrafts, readRecording } from "../played/recording.ts";
import { judgeLine, type Verdict } from "./shown-line.ts";

/** Plays all compactions of the session, one after the other: marks of one summary reach the next. */
export async function measureRecordedSession(log: (line: string) => void): Promise<Figures> {
  const options = { program: findBuiltProgram(), summaries: readNumberedDrafts() };
  const lines = (await playPith(readRecording("played-rules"), options)).flatMap(judgeDraft);
  for (const { compaction, verdict, text, planted } of lines)
    if (planted !== undefined || verdict !== "same") log(`compaction ${compaction + 1}, ${verdict}: ${text}`);
  return toFigures(lines);
}

interface DraftLine {
  readonly compaction: number;
  readonly text: string;
  readonly verdict: Verdict;
  /** The index of the planted error that the line has. */
  readonly planted: number | undefined;
}

/** The errors that `rules.json` lists. The draft of the next compaction repeats some of them. */
const PLANTED_ERRORS: readonly RegExp[] = [
  /user allows pushing/,
  /heron-04 is 9 minutes ahead/,
  /lib\/json-parse\.mjs/,
  /MAX_RETRIES/,
];

function judgeDraft({ draft, summary }: PithCompaction, compaction: number): readonly DraftLine[] {
  const lines = draft.split("\n").filter((line) => /^(?:-|\d+\.) (?!\(none\))/.test(line));
  return lines.map((text) => {
    const planted = PLANTED_ERRORS.findIndex((pattern) => pattern.test(text));
    return { compaction, text, verdict: judgeLine(text, summary), planted: planted < 0 ? undefined : planted };
  });
}

function toFigures(lines: readonly DraftLine[]): Figures {
  const trueLines = lines.filter(({ planted }) => planted === undefined);
  const count = (wanted: Verdict): number => trueLines.filter(({ verdict }) => verdict === wanted).length;
  // An error that reaches the model once is not caught, even if another summary marks it.
  const isCaught = (error: number): boolean => {
    const repeats = lines.filter(({ planted }) => planted === error);
    return repeats.length > 0 && repeats.every(({ verdict }) => verdict === "marked");
  };
  return {
    played_true_lines: trueLines.length,
    played_true_altered: count("altered"),
    played_true_marked_share: count("marked") / trueLines.length,
    planted_errors: PLANTED_ERRORS.length,
    planted_caught: PLANTED_ERRORS.filter((_, error) => isCaught(error)).length,
  };
}
