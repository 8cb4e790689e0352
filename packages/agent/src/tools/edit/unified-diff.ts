/** Builds a unified diff of a text and the changes to it. Only the changed parts are compared, so that a long text takes no longer. */

import type { structuredPatch } from "diff";
import { applySplices, lineNumbersAt, narrowSplice, type Splice } from "./text-file.ts";

/** A text and the changes to it. */
export interface DiffInput {
  readonly path: string;
  readonly text: string;
  /** In order and not overlapping. */
  readonly splices: readonly Splice[];
}

export interface UnifiedDiff {
  /** Of bounded length, because it is stored in the session. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** The lines of the old text at which changes start, counted from 1. */
  readonly changedLines: readonly number[];
}

/** Compares the changed parts line by line. */
export async function createUnifiedDiff({ path, text, splices }: DiffInput): Promise<UnifiedDiff> {
  // Loaded with the first change: a session that only reads does not need it.
  const { structuredPatch } = await import("diff");
  let shift = 0;
  const hunks = findRegions(text, splices).flatMap((region) => {
    const regionHunks = compareRegion(text, region, structuredPatch);
    const moved = regionHunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + region.firstLine - 1,
      newStart: hunk.newStart + region.firstLine - 1 + shift,
    }));
    shift += regionHunks.reduce((sum, { oldLines, newLines }) => sum + newLines - oldLines, 0);
    return moved;
  });
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: limitLength([`--- ${path}\n+++ ${path}\n`, ...hunks.flatMap(formatHunk)]),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    changedLines: hunks.flatMap(findChangedLines),
  };
}

/** Formats changes as a unified diff of bounded length. */
export async function unifiedDiff(input: DiffInput): Promise<string> {
  return (await createUnifiedDiff(input)).diff;
}

/** A part of the text with whole lines: changes and the lines around them. */
interface Region {
  readonly start: number;
  readonly end: number;
  /** Counted from 1. */
  readonly firstLine: number;
  readonly splices: readonly Splice[];
}

const CONTEXT_LINES = 3;

/** Changes whose surrounding lines overlap are in one region. */
function findRegions(text: string, splices: readonly Splice[]): readonly Region[] {
  const regions: Omit<Region, "firstLine">[] = [];
  for (const splice of splices.map((each) => narrowSplice(text, each))) {
    const start = findLineStart(text, splice.start, CONTEXT_LINES);
    const end = findLineEnd(text, splice.end, CONTEXT_LINES);
    const previous = regions.at(-1);
    if (previous && start < previous.end)
      regions.splice(-1, 1, { start: previous.start, end, splices: [...previous.splices, splice] });
    else regions.push({ start, end, splices: [splice] });
  }
  const firstLines = lineNumbersAt(
    text,
    regions.map(({ start }) => start),
  );
  return regions.map((region, index) => ({ ...region, firstLine: firstLines[index] ?? 1 }));
}

/** The start of the line at the offset, `count` lines further up. */
function findLineStart(text: string, offset: number, count: number): number {
  let start = offset;
  for (let line = 0; line <= count && start >= 0; line += 1)
    start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  return start + 1;
}

/** The end of the line at the offset, `count` lines further down. */
function findLineEnd(text: string, offset: number, count: number): number {
  let end = offset;
  for (let line = 0; line <= count; line += 1) end = text.indexOf("\n", end) + 1 || text.length;
  return end;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function compareRegion(text: string, region: Region, createPatch: typeof structuredPatch): readonly Hunk[] {
  const before = text.slice(region.start, region.end);
  const after = applySplices(text, region.splices, region);
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
  const isComparable = before.length + after.length <= MAX_COMPARED_CHARS;
  return (
    (isComparable && createPatch("", "", before, after, "", "", options)?.hunks) || [replaceAllLines(before, after)]
  );
}

/**
 * The comparison must not block a stop. Beyond these limits, all lines of the part are shown as replaced. They count lines and not time, so
 * that a busy machine shows the same diff.
 */
const MAX_EDIT_LENGTH = 1_000;
const MAX_COMPARED_CHARS = 2 * 1024 * 1024;

function replaceAllLines(before: string, after: string): Hunk {
  const [removed, added] = [prefixLines("-", before), prefixLines("+", after)];
  const [oldLines, newLines] = [before, after].map((text) => (text.match(/[^\n]+$|\n/g) ?? []).length);
  return { oldStart: 1, oldLines: oldLines ?? 0, newStart: 1, newLines: newLines ?? 0, lines: [...removed, ...added] };
}

function prefixLines(sign: string, text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") return lines.slice(0, -1).map((line) => sign + line);
  return [...lines.map((line) => sign + line), "\\ No newline at end of file"];
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): readonly string[] {
  const header = `@@ -${formatRange(oldStart, oldLines)} +${formatRange(newStart, newLines)} @@`;
  return [header, ...lines].map((line) => `${line}\n`);
}

/** An empty range names the line before it. */
function formatRange(start: number, size: number): string {
  return `${size === 0 ? start - 1 : start},${size}`;
}

/** The first line of each run of removed and added lines. */
function findChangedLines({ oldStart, lines }: Hunk): readonly number[] {
  let oldLine = oldStart;
  let wasContext = true;
  const changedLines: number[] = [];
  for (const line of lines) {
    const isContext = line.startsWith(" ");
    if (!isContext && wasContext) changedLines.push(oldLine);
    wasContext = isContext;
    if (isContext || line.startsWith("-")) oldLine += 1;
  }
  return changedLines;
}

const MAX_CHARS = 16_384;

function limitLength(lines: readonly string[]): string {
  let chars = 0;
  const overflowIndex = lines.findIndex((line) => {
    chars += line.length;
    return chars > MAX_CHARS;
  });
  if (overflowIndex < 0) return lines.join("");
  return `${lines.slice(0, overflowIndex).join("")}[… ${lines.length - overflowIndex} more lines of the diff]\n`;
}
