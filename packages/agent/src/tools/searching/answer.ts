/** What was found as the model reads it: whole lines, within the bounds of a tool's output, and how to see less or more. */

import { visible } from "../../text/visible.ts";
import type { ToolOutput } from "../../tool.ts";
import { countWithin, outputLimit } from "../bounds.ts";
import { counted, said } from "../output.ts";

export interface Finds {
  readonly lines: readonly string[];
  /** How many were found, where that is not the number of lines. */
  readonly count?: number;
  readonly isAll: boolean;
  /** What one of them is called. */
  readonly noun: string;
  readonly ifNone: string;
  /** How to find fewer. */
  readonly narrow: string;
}

/** Kept free for the note on what is left out. */
const NOTE_BYTES = 200;

/** `room` in bytes: what the model can take. */
export function answer(finds: Finds, room: number): ToolOutput {
  const { lines, count = lines.length, isAll } = finds;
  const details = { pith: { found: count, isAll } };
  if (lines.length === 0) return said(finds.ifNone, details);
  const shown = fitting(lines.map(visible), Math.min(room, outputLimit.bytes) - NOTE_BYTES);
  const note = noteOn(shown.length, finds);
  return said([...shown, ...(note === null ? [] : [note])].join("\n"), details);
}

function fitting(lines: readonly string[], room: number): readonly string[] {
  const most = lines.slice(0, outputLimit.lines);
  return most.slice(0, countWithin(most, room));
}

function noteOn(shown: number, { lines, count = lines.length, isAll, noun, narrow }: Finds): string | null {
  const left = lines.length - shown;
  if (left > 0)
    return `[${counted(left, "more line")} did not fit${isAll ? "" : `, and there are more ${noun}s`}; ${narrow}]`;
  return isAll ? null : `[the first ${counted(count, noun)}, there are more; ${narrow}, or raise limit]`;
}
