/** Defines the `runGrep` tool: finds lines that match a pattern, each with its file and line number. */

import type { GrepHit, GrepQuery, SearchOptions } from "../../ports.ts";
import { escapeInvisible, safeCutIndex } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { combineArguments, isGiven, type ParsedArgument, readBoolean, type ToolArguments } from "../arguments.ts";
import { errorOutput } from "../output.ts";
import {
  buildSearchResult,
  type CountLimits,
  createSearchOptions,
  joinPath,
  readCount,
  readIntent,
  readSearchPath,
  readSingleLine,
  type SearchToolOptions,
} from "./search.ts";

// One line of minified code can have megabytes.
const MAX_LINE_CHARS = 500;

const ELLIPSIS = "[…]";
/** What is shown before the hit. */
const LEAD_CHARS = 150;

export interface CutLineOptions extends Pick<GrepQuery, "redaction"> {
  /** More of it follows, known to somebody else. */
  readonly isContinued?: boolean;
}

/** The line itself where it is short enough; else no longer than that, marks included. */
export function cutLineAround(
  whole: string,
  hitOffset: number,
  { isContinued = false, redaction }: CutLineOptions = {},
): string {
  if (whole.length <= MAX_LINE_CHARS) return whole;
  const line = redaction?.redact(whole) ?? whole;
  // What stands before the hit may have become shorter.
  const redactedOffset =
    line === whole ? hitOffset : (redaction?.redact(whole.slice(0, hitOffset)).length ?? hitOffset);
  const maxChars = MAX_LINE_CHARS - 2 * ELLIPSIS.length;
  const start = safeCutIndex(line, Math.max(0, Math.min(redactedOffset - LEAD_CHARS, line.length - maxChars)));
  const end = safeCutIndex(line, Math.min(start + maxChars, line.length));
  const before = start > 0 ? ELLIPSIS : "";
  const after = end < line.length || isContinued ? ELLIPSIS : "";
  return before + line.slice(start, end) + after;
}

export function grepTool(options: SearchToolOptions): Tool {
  return {
    name: "grep",
    description:
      "Finds lines by a regular expression. Leaves out ignored and binary files, and those over 64 MB unless path names them.",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (args) => readIntent(args, options),
    run: (call) => runGrep(call, options),
  };
}

const parameters = {
  type: "object",
  properties: {
    pattern: { type: "string" },
    path: { type: "string", description: "A file or folder; default: the workspace" },
    glob: { type: "string", description: "Only files it fits, such as *.ts or src/**/*.{js,jsx}" },
    literal: { type: "boolean", description: "The pattern is plain text" },
    ignoreCase: { type: "boolean" },
    context: { type: "integer", description: "Lines shown before and after each hit" },
    limit: { type: "integer", description: "Most hits; default 100" },
  },
  required: ["pattern"],
};

interface SearchContext extends Pick<SearchToolOptions, "search"> {
  readonly options: SearchOptions;
}

interface GrepTarget {
  readonly asked: string;
  readonly isFile: boolean;
}

const LIMIT: CountLimits = { defaultValue: 100, minimum: 1, maximum: 2_000 };
const CONTEXT: CountLimits = { defaultValue: 0, minimum: 0, maximum: 50 };

async function runGrep(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const input = parseGrepInput(args);
  if (input.type === "wrong") return errorOutput(input.message);
  const { most: maxResults, ...query } = input.value;
  const path = files.resolve(readSearchPath(args));
  const options = createSearchOptions(path, call, maxResults);
  const result = await search.grep({ ...query, path }, options);
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  const target = { asked: readSearchPath(args), isFile: await isFile(path, result.items, { search, options }) };
  const count = result.items.filter(({ isContext }) => !isContext).length;
  return buildSearchResult(
    { ...grepTexts, lines: result.items.map((hit) => formatHit(hit, target)), count, isComplete: result.isComplete },
    maxOutputBytes,
  );
}

function parseGrepInput(args: ToolArguments): ParsedArgument<Omit<GrepQuery, "path"> & { readonly most: number }> {
  return combineArguments({
    pattern: readSingleLine(args, "pattern"),
    ...(isGiven(args.glob) && { glob: readSingleLine(args, "glob") }),
    isLiteral: readBoolean(args, "literal"),
    ignoresCase: readBoolean(args, "ignoreCase"),
    contextLines: readCount(args, "context", CONTEXT),
    most: readCount(args, "limit", LIMIT),
  });
}

const grepTexts = {
  noun: "hit",
  ifNone:
    "[no hits; ignored files are left out unless path names them, binary files and those that may not be read always]",
  narrow: "narrow pattern, path or glob",
};

/** A hit in a file that was asked for bears that file's name, and so may one in a folder that has a file of its own name. */
async function isFile(path: string, hits: readonly GrepHit[], { search, options }: SearchContext): Promise<boolean> {
  const name = path.split(/[\\/]/).at(-1);
  if (hits.every((hit) => hit.path !== name)) return false;
  return (await search.list(path, { ...options, maxResults: 1 })).type !== "found";
}

function formatHit({ path, line, text, isContext }: GrepHit, { asked: searchPath, isFile }: GrepTarget): string {
  const separator = isContext ? "-" : ":";
  return `${isFile ? searchPath : joinPath(searchPath, path)}${separator}${line}${separator} ${cutLineAround(text, 0)}`;
}
