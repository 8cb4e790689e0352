/** Builds a unified diff from a text and its splices, without searching for changes. */

import { applySplices, findCommonEnds, lineNumbersAt, type Splice } from "./text-file.ts";

/** A text and the changes to it. */
export interface DiffInput {
  readonly path: string;
  readonly text: string;
  /** In order and not overlapping. */
  readonly splices: readonly Splice[];
}

/** Removed and added lines. `lineIndex` starts at 0. */
export interface Change {
  readonly lineIndex: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** Formats changes as a unified diff of bounded length. */
export function unifiedDiff({ path, text, splices }: DiffInput): string {
  const lines = splitLines(text);
  let shift = 0;
  const hunks = groupIntoHunks(findChanges(text, splices)).map((changes) => {
    const hunk = formatHunk(changes, lines, shift);
    shift += changes.reduce((sum, change) => sum + change.newLines.length - change.oldLines.length, 0);
    return hunk;
  });
  return limitLength([`--- ${path}\n+++ ${path}\n`, ...hunks.flat()]);
}

const CONTEXT_LINES = 3;
/** The diff is stored in the session, so its size is limited. */
const MAX_CHARS = 16_384;

/** Extends splices to whole lines and merges those on the same lines. */
export function findChanges(text: string, splices: readonly Splice[]): readonly Change[] {
  const blocks: { readonly start: number; readonly end: number; readonly inside: readonly Splice[] }[] = [];
  for (const splice of splices) {
    const start = splice.start === 0 ? 0 : text.lastIndexOf("\n", splice.start - 1) + 1;
    const end = text.indexOf("\n", splice.end) + 1 || text.length;
    const previous = blocks.at(-1);
    if (previous && start < previous.end)
      blocks.splice(-1, 1, { start: previous.start, end, inside: [...previous.inside, splice] });
    else blocks.push({ start, end, inside: [splice] });
  }
  const numbers = lineNumbersAt(
    text,
    blocks.map(({ start }) => start),
  );
  return blocks.map(({ start, end, inside }, index) => {
    const oldLines = splitLines(text.slice(start, end));
    const newLines = splitLines(applySplices(text, inside, { start, end }));
    const { head, tail } = findCommonEnds(oldLines, newLines);
    const first = (numbers[index] ?? 1) - 1 + head;
    return {
      lineIndex: first,
      oldLines: oldLines.slice(head, oldLines.length - tail),
      newLines: newLines.slice(head, newLines.length - tail),
    };
  });
}

/** Lines with their line ends, so that a missing final one is visible. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function groupIntoHunks(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const previous = hunk?.at(-1);
    if (hunk && previous && change.lineIndex - previous.lineIndex - previous.oldLines.length <= 2 * CONTEXT_LINES)
      hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function formatHunk(changes: readonly Change[], lines: readonly string[], shift: number): readonly string[] {
  const start = Math.max(0, (changes[0]?.lineIndex ?? 0) - CONTEXT_LINES);
  let position = start;
  const body = changes.flatMap((change) => {
    const before = lines.slice(position, change.lineIndex);
    position = change.lineIndex + change.oldLines.length;
    return [...prefixLines(" ", before), ...prefixLines("-", change.oldLines), ...prefixLines("+", change.newLines)];
  });
  const after = lines.slice(position, position + CONTEXT_LINES);
  const size = position + after.length - start;
  const growth = changes.reduce((sum, change) => sum + change.newLines.length - change.oldLines.length, 0);
  return [
    `@@ -${range(start, size)} +${range(start + shift, size + growth)} @@\n`,
    ...body,
    ...prefixLines(" ", after),
  ];
}

function range(start: number, size: number): string {
  return `${size === 0 ? start : start + 1},${size}`;
}

function prefixLines(prefix: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${prefix}${line}${line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n"}`);
}

function limitLength(lines: readonly string[]): string {
  let chars = 0;
  const overflowIndex = lines.findIndex((line) => {
    chars += line.length;
    return chars > MAX_CHARS;
  });
  if (overflowIndex < 0) return lines.join("");
  return `${lines.slice(0, overflowIndex).join("")}[… ${lines.length - overflowIndex} more lines of the diff]\n`;
}
