/** Drops what a crash leaves at the end of a file: half a line, half a batch, lines whose predecessors never reached the disk. */

import { type Damage, named } from "./damage.ts";
import type { BatchMark } from "./line-checksum.ts";
import type { LineReading } from "./read-line.ts";
import type { RawLine } from "./split-lines.ts";

export interface ReadLine {
  readonly raw: RawLine;
  readonly reading: LineReading;
}

export interface Tail {
  /** Everything before the tear. */
  readonly lines: readonly ReadLine[];
  readonly damage: readonly Damage[];
}

/** The header is never torn off: if its line could be used, it stays. */
export function withoutTornTail(lines: readonly ReadLine[], headerAt: number): Tail {
  const last = lines.at(-1);
  const tornLine = last?.reading.type === "damaged" && !last.raw.ended && lines.length - 1 !== headerAt;
  const ended = tornLine ? lines.slice(0, -1) : lines;
  const lineDamage = tornLine && last ? [named(tornKind(last), last.raw)] : [];
  const start = startOfTornBatch(ended, { headerAt, lineCount: lines.length });
  const tornBatch = ended.slice(start).map(({ raw }) => named("torn-batch", raw));
  const arrived = endOfArrived(ended.slice(0, start), headerAt);
  const never = ended.slice(arrived, start).map((line) => named(tornKind(line), line.raw));
  const whole = ended.slice(0, arrived);
  const runStart = startOfBrokenRun(whole);
  const brokenRun = whole.slice(runStart).map(({ raw }) => named("torn-run", raw));
  return { lines: whole.slice(0, runStart), damage: [...brokenRun, ...never, ...tornBatch, ...lineDamage] };
}

function tornKind({ reading }: ReadLine): "nul-bytes" | "torn-tail" {
  return reading.type === "damaged" && reading.kind === "nul-bytes" ? "nul-bytes" : "torn-tail";
}

// LOG3: only a batch at the very end can be torn; behind one that others followed, the writer had its acknowledgement.
function startOfTornBatch(lines: readonly ReadLine[], file: { headerAt: number; lineCount: number }): number {
  const at = lines.findLastIndex(({ reading }) => reading.type === "whole");
  const mark = markOf(lines[at]);
  if (!mark) return lines.length;
  const [place, size] = mark;
  const othersFollowed = file.lineCount - 1 - at > size - place;
  const start = startOfBatch(lines, at, file.headerAt);
  const places = new Set(lines.slice(start, at + 1).flatMap((line) => markOf(line)?.[0] ?? []));
  return othersFollowed || places.size === size ? lines.length : start;
}

// Any line of the batch may be missing, so its start is not found by counting: what is no part of it stays.
function startOfBatch(lines: readonly ReadLine[], at: number, headerAt: number): number {
  let start = at;
  let [next, size] = markOf(lines[at]) ?? NO_MARK;
  for (; start - 1 > headerAt; start--) {
    const before = lines[start - 1];
    const [place, of] = before?.reading.type === "damaged" ? [next - 1, size] : (markOf(before) ?? NO_MARK);
    if (of !== size || place < 1 || (place >= next && !isCopy(before, lines[start]))) break;
    next = place;
  }
  return start;
}

// LOG13: lines that did not wait for the disk name the byte where their stretch begins. Where one of them never arrived there
// are zeros; what follows came too early. A line that merely changed has arrived, and is damage like any other.
function startOfBrokenRun(lines: readonly ReadLine[]): number {
  const begins = runStart(lines);
  if (begins === undefined) return lines.length;
  const broken = lines.findIndex((line) => line.raw.offset >= begins && isMissing(line));
  return broken === -1 ? lines.length : broken;
}

/** Where the last lines of ours begin that the disk may not have had. Lines of others behind them do not say. */
export function runStart(lines: readonly ReadLine[]): number | undefined {
  const last = lines.findLast(({ reading }) => reading.type === "whole" && reading.sealed);
  return last?.reading.type === "whole" ? last.reading.marks.run : undefined;
}

// Behind the last whole line, zeros are what is left of a write that the disk never had whole, also if its end arrived.
function endOfArrived(lines: readonly ReadLine[], headerAt: number): number {
  const last = Math.max(
    headerAt,
    lines.findLastIndex(({ reading }) => reading.type === "whole"),
  );
  const missing = lines.findIndex((line, at) => at > last && isMissing(line) && !isForeign(line));
  return missing === -1 ? lines.length : missing;
}

// Nothing but zeros, or more than a line may hold: no write of ours leaves that. It stays where it is, and is named.
const isForeign = ({ reading }: ReadLine): boolean =>
  reading.type === "damaged" && (reading.kind === "nul-bytes" || reading.kind === "line-too-long");

function isMissing({ raw, reading }: ReadLine): boolean {
  return (reading.type === "damaged" || reading.blemish !== null) && raw.bytes.includes(0);
}

function isCopy(one: ReadLine | undefined, other: ReadLine | undefined): boolean {
  return idOf(one) !== undefined && idOf(one) === idOf(other);
}

function idOf(line: ReadLine | undefined): unknown {
  return line?.reading.type === "whole" ? line.reading.value.id : undefined;
}

function markOf(line: ReadLine | undefined): BatchMark | null {
  const mark = line?.reading.type === "whole" ? (line.reading.marks.batch ?? null) : null;
  return mark && mark[0] >= 1 && mark[0] <= mark[1] ? mark : null;
}

const NO_MARK: BatchMark = [0, 0];
