/** Drops what a crash leaves at the end of a file: an incomplete line, an incomplete batch, or lines after bytes that never reached the disk. */

import { createDamage, type Damage } from "./damage.ts";
import type { BatchMark } from "./line-checksum.ts";
import type { ReadLineResult } from "./read-line.ts";
import type { RawLine } from "./split-lines.ts";

/** A line with the result of reading it. */
export interface LineRecord {
  readonly raw: RawLine;
  readonly parsed: ReadLineResult;
}

/** The lines that remain, and the damage of the dropped lines. */
export interface DropTornTailResult {
  readonly lines: readonly LineRecord[];
  readonly damage: readonly Damage[];
}

/** Drops the torn end of a file. A header that could be used is never dropped. */
export function dropTornTail(lines: readonly LineRecord[], headerIndex: number): DropTornTailResult {
  const last = lines.at(-1);
  const isLastLineTorn = last?.parsed.type === "damaged" && !last.raw.hasLineEnd && lines.length - 1 !== headerIndex;
  const candidates = isLastLineTorn ? lines.slice(0, -1) : lines;
  const lineDamage = isLastLineTorn && last ? [createDamage(tailDamageKind(last), last.raw)] : [];
  const batchStart = findTornBatchStart(candidates, { headerIndex, lineCount: lines.length });
  const batchDamage = candidates.slice(batchStart).map(({ raw }) => createDamage("torn-batch", raw));
  const writtenEnd = findWrittenEnd(candidates.slice(0, batchStart), headerIndex);
  const missingDamage = candidates
    .slice(writtenEnd, batchStart)
    .map((line) => createDamage(tailDamageKind(line), line.raw));
  const writtenLines = candidates.slice(0, writtenEnd);
  const runStart = findBrokenRunStart(writtenLines);
  const runDamage = writtenLines.slice(runStart).map(({ raw }) => createDamage("torn-run", raw));
  return {
    lines: writtenLines.slice(0, runStart),
    damage: [...runDamage, ...missingDamage, ...batchDamage, ...lineDamage],
  };
}

function tailDamageKind({ parsed }: LineRecord): "nul-bytes" | "torn-tail" {
  return parsed.type === "damaged" && parsed.kind === "nul-bytes" ? "nul-bytes" : "torn-tail";
}

// LOG3: only the last batch can be incomplete. If lines follow a batch, its append was acknowledged.
function findTornBatchStart(lines: readonly LineRecord[], file: { headerIndex: number; lineCount: number }): number {
  const index = lines.findLastIndex(({ parsed }) => parsed.type === "intact");
  const mark = readBatchMark(lines[index]);
  if (!mark) return lines.length;
  const [position, size] = mark;
  const hasLaterLines = file.lineCount - 1 - index > size - position;
  const start = findBatchStart(lines, index, file.headerIndex);
  const positions = new Set(lines.slice(start, index + 1).flatMap((line) => readBatchMark(line)?.[0] ?? []));
  return hasLaterLines || positions.size === size ? lines.length : start;
}

// Any line of the batch may be missing, so its start cannot be computed from the last position.
function findBatchStart(lines: readonly LineRecord[], index: number, headerIndex: number): number {
  let start = index;
  let [next, size] = readBatchMark(lines[index]) ?? NO_BATCH_MARK;
  for (; start - 1 > headerIndex; start--) {
    const previous = lines[start - 1];
    const [position, batchSize] =
      previous?.parsed.type === "damaged" ? [next - 1, size] : (readBatchMark(previous) ?? NO_BATCH_MARK);
    if (batchSize !== size || position < 1 || (position >= next && !hasSameId(previous, lines[start]))) break;
    next = position;
  }
  return start;
}

// LOG13: each unsynced line has the offset where its run of unsynced lines begins. A line of the run that never reached the disk reads as
// zeros, and the lines after it are dropped. A line with other damage did reach the disk, and stays as damage.
function findBrokenRunStart(lines: readonly LineRecord[]): number {
  const runOffset = findRunStart(lines);
  if (runOffset === undefined) return lines.length;
  const brokenIndex = lines.findIndex((line) => line.raw.offset >= runOffset && hasMissingBytes(line));
  return brokenIndex === -1 ? lines.length : brokenIndex;
}

/** Returns the offset of the last run of unsynced lines. Lines without trailers, written by other programs, are skipped. */
export function findRunStart(lines: readonly LineRecord[]): number | undefined {
  const last = lines.findLast(({ parsed }) => parsed.type === "intact" && parsed.hasTrailer);
  return last?.parsed.type === "intact" ? last.parsed.marks.run : undefined;
}

// Zeros after the last intact line come from a write that reached the disk only in part.
function findWrittenEnd(lines: readonly LineRecord[], headerIndex: number): number {
  const last = Math.max(
    headerIndex,
    lines.findLastIndex(({ parsed }) => parsed.type === "intact"),
  );
  const missing = lines.findIndex((line, index) => index > last && hasMissingBytes(line) && !isForeignDamage(line));
  return missing === -1 ? lines.length : missing;
}

// Pith never writes a line of zeros or an overlong line, so such damage is reported and stays in the file.
const isForeignDamage = ({ parsed }: LineRecord): boolean =>
  parsed.type === "damaged" && (parsed.kind === "nul-bytes" || parsed.kind === "line-too-long");

function hasMissingBytes({ raw, parsed }: LineRecord): boolean {
  return (parsed.type === "damaged" || parsed.minorDamage !== null) && raw.bytes.includes(0);
}

function hasSameId(a: LineRecord | undefined, b: LineRecord | undefined): boolean {
  return lineId(a) !== undefined && lineId(a) === lineId(b);
}

function lineId(line: LineRecord | undefined): unknown {
  return line?.parsed.type === "intact" ? line.parsed.value.id : undefined;
}

function readBatchMark(line: LineRecord | undefined): BatchMark | null {
  const mark = line?.parsed.type === "intact" ? (line.parsed.marks.batch ?? null) : null;
  return mark && mark[0] >= 1 && mark[0] <= mark[1] ? mark : null;
}

const NO_BATCH_MARK: BatchMark = [0, 0];
