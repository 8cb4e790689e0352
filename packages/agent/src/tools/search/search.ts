/** Provides what `runGrep`, `find` and `ls` share: arguments, the path to search, and a bounded result. */

import type { SearchOptions, Workspace } from "../../ports.ts";
import { escapeInvisible } from "../../text.ts";
import type { Intent, ToolCall, ToolOutput } from "../../tool.ts";
import { invalid, type ParsedArgument, readInteger, type ToolArguments, valid } from "../arguments.ts";
import { countLinesWithin, formatCount, outputLimit, permittedPath, textOutput } from "../output.ts";

export function readSingleLine(args: ToolArguments, name: string): ParsedArgument<string> {
  const value = args[name];
  if (typeof value !== "string" || value === "") return invalid(`${name} is missing`);
  return /[\n\0]/.test(value)
    ? invalid(`${name} must be one line: it is held against one line or name at a time`)
    : valid(value);
}

export interface CountLimits {
  readonly defaultValue: number;
  readonly minimum: 0 | 1;
  readonly maximum: number;
}

export function readCount(
  args: ToolArguments,
  name: string,
  { defaultValue, minimum, maximum }: CountLimits,
): ParsedArgument<number> {
  const count = readInteger(args, name, minimum);
  return count.type === "wrong" ? count : valid(Math.min(count.value ?? defaultValue, maximum));
}

export type SearchToolOptions = Pick<Workspace, "files" | "search">;

/** The workspace itself unless said. */
export function readSearchPath({ path }: ToolArguments): string {
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

export function readIntent(args: ToolArguments, { files }: SearchToolOptions): Intent {
  return { type: "look", paths: [files.resolve(readSearchPath(args))] };
}

/** How it is looked for, and what of it may be opened. */
export function createSearchOptions(path: string, call: ToolCall, maxResults: number): SearchOptions {
  return { signal: call.signal, maxResults, ...permittedPath(path, call), isExcluded: call.grant?.isExcluded };
}

export function joinPath(folder: string, path: string): string {
  return folder === "." || folder === "./" ? path : `${folder.replace(/\/+$/, "")}/${path}`;
}

export interface SearchOutput {
  readonly lines: readonly string[];
  /** How many were found, where that is not the number of lines. */
  readonly count?: number;
  readonly isComplete: boolean;
  /** What one of them is called. */
  readonly noun: string;
  readonly ifNone: string;
  /** How to find fewer. */
  readonly narrow: string;
}

/** Kept free for the note on what is left out. */
const NOTE_BYTES = 200;

/** `computeOutputBudget` in bytes: what the model can take. */
export function buildSearchResult(output: SearchOutput, maxBytes: number): ToolOutput {
  const { lines, count = lines.length, isComplete } = output;
  const details = { pith: { found: count, isAll: isComplete } };
  if (lines.length === 0) return textOutput(output.ifNone, details);
  const shownLines = fitLines(lines.map(escapeInvisible), Math.min(maxBytes, outputLimit.bytes) - NOTE_BYTES);
  const note = formatNote(shownLines.length, output);
  return textOutput([...shownLines, ...(note === null ? [] : [note])].join("\n"), details);
}

function fitLines(lines: readonly string[], maxBytes: number): readonly string[] {
  const candidates = lines.slice(0, outputLimit.lines);
  return candidates.slice(0, countLinesWithin(candidates, maxBytes));
}

function formatNote(
  shownCount: number,
  { lines, count = lines.length, isComplete, noun, narrow }: SearchOutput,
): string | null {
  const omittedLines = lines.length - shownCount;
  if (omittedLines > 0)
    return `[${formatCount(omittedLines, "more line")} did not fit${isComplete ? "" : `, and there are more ${noun}s`}; ${narrow}]`;
  return isComplete ? null : `[the first ${formatCount(count, noun)}, there are more; ${narrow}, or raise limit]`;
}
