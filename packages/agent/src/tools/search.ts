/** Defines the search tools: `grep` finds lines, `find` finds files by glob, and `ls` lists a folder. */

import type { FolderEntry, GrepHit, GrepQuery, SearchOptions, Workspace } from "../ports.ts";
import { escapeInvisible, safeCutIndex } from "../text.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../tool.ts";
import {
  combineArguments,
  countLinesWithin,
  errorOutput,
  formatBytes,
  formatCount,
  getPermittedPath,
  invalid,
  isGiven,
  outputLimit,
  type ParsedArgument,
  readBoolean,
  readInteger,
  type ToolArguments,
  textOutput,
  valid,
} from "./tool-io.ts";

export function grepTool(options: SearchToolOptions): Tool {
  return {
    name: "grep",
    description:
      "Finds lines that match a regular expression. Skips ignored files, binary files, and files over 64 MB unless path names them.",
    parameters: grepParameters,
    isIdempotent: true,
    isConcurrent: true,
    restoresSecrets: true,
    intent: (args) => searchIntent(args, options),
    run: (call) => runGrep(call, options),
  };
}

const grepParameters = {
  type: "object",
  properties: {
    pattern: { type: "string" },
    path: { type: "string", description: "A file or folder; default: the workspace" },
    glob: {
      type: "string",
      description: "Only search files that match, such as *.ts or src/**/*.{js,jsx}; !*.ts excludes files",
    },
    literal: { type: "boolean", description: "Treat the pattern as plain text" },
    ignoreCase: { type: "boolean" },
    context: { type: "integer", description: "Lines to show before and after each match" },
    limit: { type: "integer", description: "Maximum number of matches; default 100" },
  },
  required: ["pattern"],
};

interface SearchContext extends Pick<SearchToolOptions, "search"> {
  readonly options: SearchOptions;
}

interface GrepTarget {
  readonly searchPath: string;
  readonly isFile: boolean;
}

const GREP_LIMIT: CountLimits = { defaultValue: 100, minimum: 1, maximum: 2_000 };
const CONTEXT_LIMIT: CountLimits = { defaultValue: 0, minimum: 0, maximum: 50 };

async function runGrep(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const input = combineArguments({
    pattern: readSingleLine(args, "pattern"),
    ...(isGiven(args.glob) && { glob: readSingleLine(args, "glob") }),
    isLiteral: readBoolean(args, "literal"),
    ignoresCase: readBoolean(args, "ignoreCase"),
    contextLines: readCount(args, "context", CONTEXT_LIMIT),
    maxResults: readCount(args, "limit", GREP_LIMIT),
  });
  if (input.type === "invalid") return errorOutput(input.message);
  const { maxResults, ...query } = input.value;
  const path = files.resolve(readSearchPath(args));
  const options = createSearchOptions(path, call, maxResults);
  const result = await search.grep({ ...query, path }, options);
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  const target = { searchPath: readSearchPath(args), isFile: await isFile(path, result.items, { search, options }) };
  const count = result.items.filter(({ isContext }) => !isContext).length;
  return buildSearchResult(
    { ...grepTexts, lines: result.items.map((hit) => formatHit(hit, target)), count, isComplete: result.isComplete },
    maxOutputBytes,
  );
}

const grepTexts = {
  noun: "matching line",
  ifNone:
    "[no matches; ignored files are skipped unless path names them; binary files and files that you may not read are always skipped]",
  narrow: "narrow pattern, path or glob",
};

/** Whether the search path is a file. A folder can contain a file with the folder's name, so the name alone does not tell. */
async function isFile(path: string, hits: readonly GrepHit[], { search, options }: SearchContext): Promise<boolean> {
  const name = path.split(/[\\/]/).at(-1);
  if (hits.every((hit) => hit.path !== name)) return false;
  return (await search.list(path, { ...options, maxResults: 1 })).type !== "found";
}

function formatHit({ path, line, text, isContext }: GrepHit, { searchPath, isFile }: GrepTarget): string {
  const separator = isContext ? "-" : ":";
  return `${isFile ? searchPath : joinPath(searchPath, path)}${separator}${line}${separator} ${cutLineAround(text, 0)}`;
}

export function findTool(options: SearchToolOptions): Tool {
  return {
    name: "find",
    description: "Finds files by glob, newest first. Skips ignored files.",
    parameters: findParameters,
    isIdempotent: true,
    isConcurrent: true,
    restoresSecrets: true,
    intent: (args) => searchIntent(args, options),
    run: (call) => runFind(call, options),
  };
}

const findParameters = {
  type: "object",
  properties: {
    glob: { type: "string", description: "For example *.ts (in any folder) or src/**/*.test.ts; !*.ts excludes files" },
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Maximum number of files; default 1,000" },
  },
  required: ["glob"],
};

const FIND_LIMIT: CountLimits = { defaultValue: 1_000, minimum: 1, maximum: 2_000 };

async function runFind(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const input = combineArguments({
    glob: readSingleLine(args, "glob"),
    maxResults: readCount(args, "limit", FIND_LIMIT),
  });
  if (input.type === "invalid") return errorOutput(input.message);
  const { glob, maxResults } = input.value;
  const folder = files.resolve(readSearchPath(args));
  const result = await search.find({ folder, glob }, createSearchOptions(folder, call, maxResults));
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  return buildSearchResult(
    {
      ...findTexts,
      lines: result.items.map((path) => joinPath(readSearchPath(args), path)),
      isComplete: result.isComplete,
    },
    maxOutputBytes,
  );
}

const findTexts = {
  noun: "file",
  ifNone:
    "[no files found; ignored files are skipped unless path names their folder; files that you may not read are always skipped]",
  narrow: "narrow glob or path",
};

export function lsTool(options: SearchToolOptions): Tool {
  return {
    name: "ls",
    description:
      "Lists a folder, including hidden and ignored files. Folders end in /, links in @; files show their size.",
    parameters: lsParameters,
    isIdempotent: true,
    isConcurrent: true,
    restoresSecrets: true,
    intent: (args) => searchIntent(args, options),
    run: (call) => runLs(call, options),
  };
}

const lsParameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Maximum number of names; default 500" },
  },
};

const LS_LIMIT: CountLimits = { defaultValue: 500, minimum: 1, maximum: 2_000 };

async function runLs(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const maxResults = readCount(args, "limit", LS_LIMIT);
  if (maxResults.type === "invalid") return errorOutput(maxResults.message);
  const path = files.resolve(readSearchPath(args));
  const result = await search.list(path, createSearchOptions(path, call, maxResults.value));
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  return buildSearchResult(
    { ...lsTexts, lines: result.items.map(formatEntry), isComplete: result.isComplete },
    maxOutputBytes,
  );
}

const lsTexts = { noun: "name", ifNone: "[the folder is empty]", narrow: "list a subfolder, or use find" };

function formatEntry({ name, kind, bytes }: FolderEntry): string {
  switch (kind) {
    case "folder":
      return name;
    case "link":
      return `${name}@`;
    case "file":
      return bytes === undefined ? name : `${name}  ${formatBytes(bytes)}`;
    case "other":
      return `${name}  (not a regular file)`;
  }
}

function readSingleLine(args: ToolArguments, name: string): ParsedArgument<string> {
  const value = args[name];
  if (typeof value !== "string" || value === "") return invalid(`${name} is missing`);
  return /[\n\0]/.test(value)
    ? invalid(`${name} must be a single line, because lines and names are matched one at a time`)
    : valid(value);
}

export interface CountLimits {
  readonly defaultValue: number;
  readonly minimum: 0 | 1;
  readonly maximum: number;
}

function readCount(
  args: ToolArguments,
  name: string,
  { defaultValue, minimum, maximum }: CountLimits,
): ParsedArgument<number> {
  const count = readInteger(args, name, minimum);
  return count.type === "invalid" ? count : valid(Math.min(count.value ?? defaultValue, maximum));
}

export type SearchToolOptions = Pick<Workspace, "files" | "search">;

/** Reads the path; default: the workspace. */
function readSearchPath({ path }: ToolArguments): string {
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

function searchIntent(args: ToolArguments, { files }: SearchToolOptions): Intent {
  return { type: "look", paths: [files.resolve(readSearchPath(args))] };
}

function createSearchOptions(path: string, call: ToolCall, maxResults: number): SearchOptions {
  return { signal: call.signal, maxResults, ...getPermittedPath(path, call), isExcluded: call.grant?.isExcluded };
}

function joinPath(folder: string, path: string): string {
  return folder === "." || folder === "./" ? path : `${folder.replace(/\/+$/, "")}/${path}`;
}

export interface SearchOutput {
  readonly lines: readonly string[];
  /** The number of results, if it is not the number of lines. */
  readonly count?: number;
  readonly isComplete: boolean;
  /** The name of one result. */
  readonly noun: string;
  readonly ifNone: string;
  /** Advice on how to get fewer results. */
  readonly narrow: string;
}

/** Reserved for the note on omitted results. */
const NOTE_BYTES = 200;

/** Builds the result within `maxBytes` and the output limit. */
function buildSearchResult(output: SearchOutput, maxBytes: number): ToolOutput {
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
    return `[${formatCount(omittedLines, "more line")} did not fit${isComplete ? "" : `, and there are more results`}; ${narrow}]`;
  return isComplete ? null : `[the first ${formatCount(count, noun)}; there are more: ${narrow}, or raise limit]`;
}

// A line of minified code can have megabytes.
const MAX_LINE_CHARS = 500;

const ELLIPSIS = "[…]";
/** How much is shown before the match. */
const LEAD_CHARS = 150;

export interface CutLineOptions extends Pick<GrepQuery, "redaction"> {
  /** The line continues beyond the given text. */
  readonly isContinued?: boolean;
}

/** Cuts a long line around the match, to at most `MAX_LINE_CHARS` including the ellipses. */
export function cutLineAround(
  whole: string,
  hitOffset: number,
  { isContinued = false, redaction }: CutLineOptions = {},
): string {
  if (whole.length <= MAX_LINE_CHARS) return whole;
  const line = redaction?.redact(whole) ?? whole;
  // Redaction may have changed the length of the text before the match.
  const redactedOffset =
    line === whole ? hitOffset : (redaction?.redact(whole.slice(0, hitOffset)).length ?? hitOffset);
  const maxChars = MAX_LINE_CHARS - 2 * ELLIPSIS.length;
  const start = safeCutIndex(line, Math.max(0, Math.min(redactedOffset - LEAD_CHARS, line.length - maxChars)));
  const end = safeCutIndex(line, Math.min(start + maxChars, line.length));
  const before = start > 0 ? ELLIPSIS : "";
  const after = end < line.length || isContinued ? ELLIPSIS : "";
  return before + line.slice(start, end) + after;
}
