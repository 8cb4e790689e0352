/** Provides what `grep`, `find` and `ls` share: arguments, the path to search, and a bounded result. */

import type { SearchAct, Workspace } from "../../ports.ts";
import { visible } from "../../text.ts";
import type { Intent, ToolCall, ToolOutput } from "../../tool.ts";
import { type Argument, type Asked, right, wholeNumberOf, wrong } from "../arguments.ts";
import { counted, countWithin, heldAt, outputLimit, said } from "../output.ts";

export function lineOf(asked: Asked, name: string): Argument<string> {
  const value = asked[name];
  if (typeof value !== "string" || value === "") return wrong(`${name} is missing`);
  return /[\n\0]/.test(value)
    ? wrong(`${name} must be one line: it is held against one line or name at a time`)
    : right(value);
}

export interface Count {
  readonly unlessSaid: number;
  readonly from: 0 | 1;
  readonly most: number;
}

export function countOf(asked: Asked, name: string, { unlessSaid, from, most }: Count): Argument<number> {
  const count = wholeNumberOf(asked, name, from);
  return count.type === "wrong" ? count : right(Math.min(count.value ?? unlessSaid, most));
}

export type SearchParts = Pick<Workspace, "files" | "search">;

/** The workspace itself unless said. */
export function placeOf({ path }: Asked): string {
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

export function lookIntent(asked: Asked, { files }: SearchParts): Intent {
  return { type: "look", paths: [files.resolve(placeOf(asked))] };
}

/** How it is looked for, and what of it may be opened. */
export function searchAct(path: string, call: ToolCall, most: number): SearchAct {
  return { signal: call.signal, most, ...heldAt(path, call), isClosed: call.leave?.isClosed };
}

export function under(folder: string, found: string): string {
  return folder === "." || folder === "./" ? found : `${folder.replace(/\/+$/, "")}/${found}`;
}

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
