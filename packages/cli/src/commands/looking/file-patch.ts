/** Two states of a file as a unified diff, with the lines that came and went. Pure. */

import { structuredPatch } from "diff";

export interface Patch {
  /** Without the names of the files. */
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** Null where they are so different that nobody would wait for it. */
export function filePatch(before: string, after: string): Patch | null {
  const lines = before === "" || after === "" ? wholeFile(before, after) : hunksOf(before, after);
  return lines && patchOf(lines);
}

/** Of lines that were told elsewhere. */
export function patchOf(lines: readonly string[]): Patch {
  return { patch: lines.join("\n"), added: countOf("+", lines), removed: countOf("-", lines) };
}

function countOf(sign: string, lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

/** Nothing needs to be looked for where one of them is empty, however long the other is. */
function wholeFile(before: string, after: string): readonly string[] {
  const text = before + after;
  const lines = text.split("\n");
  const isEnded = lines.at(-1) === "";
  const body = isEnded ? lines.slice(0, -1) : lines;
  const sign = before === "" ? "+" : "-";
  const [old, fresh] = before === "" ? ["0,0", `1,${body.length}`] : [`1,${body.length}`, "0,0"];
  return [`@@ -${old} +${fresh} @@`, ...body.map((line) => sign + line), ...(isEnded ? [] : [NO_END])];
}

const NO_END = "\\ No newline at end of file";

function hunksOf(before: string, after: string): readonly string[] | null {
  const wish = { context: AROUND, maxEditLength: MOST_EDITS, timeout: LONGEST };
  const found = structuredPatch("", "", before, after, "", "", wish);
  if (!found) return null;
  return found.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
}

const AROUND = 3;
const MOST_EDITS = 4_000;
/** In milliseconds. */
const LONGEST = 1_000;
