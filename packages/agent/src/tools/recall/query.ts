/** Parses the arguments of the `recall` tool: words and filters in one query. */

import { invalid, type ParsedArgument, readInteger, type ToolArguments, valid } from "../tool-io.ts";

export interface RecallRequest {
  /** The words to search for. */
  readonly text: string;
  readonly file: string;
  readonly tool: string;
  readonly range: EntryRange | null;
  /** Another session; empty for this one. */
  readonly session: string;
  /** The first result or line to show, starting at 1. */
  readonly offset: number;
}

export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** Absolute paths below `root` become relative, as tools are usually called with them. */
export function parseRecallRequest(args: ToolArguments, root: string | undefined): ParsedArgument<RecallRequest> {
  const offset = readInteger(args, "offset", 1);
  if (offset.type === "invalid") return offset;
  if (typeof args.query !== "string" || args.query.trim() === "") return invalid(MISSING_QUERY);
  const { file, ...query } = parseQuery(args.query);
  const request = { ...query, file: toRelativePath(file, root), offset: offset.value ?? 1 };
  return hasFilter(request) || request.range ? valid(request) : invalid(MISSING_QUERY);
}

const MISSING_QUERY = "query is missing: give words, file:src/a.ts, tool:bash or #40-#60";

/** Whether entries are searched for, and not only listed by number. */
export function hasFilter({ text, file, tool }: RecallRequest): boolean {
  return text !== "" || file !== "" || tool !== "";
}

/** Splits a query into its filters and the words that are left. The last of several equal filters counts. */
function parseQuery(query: string): Omit<RecallRequest, "offset"> {
  const filters = { file: "", tool: "", session: "" };
  const words = query.replaceAll(FILTER, (_, name: keyof typeof filters, quoted?: string, bare?: string) => {
    filters[name] = quoted ?? bare ?? "";
    return " ";
  });
  // A single number next to words may be the number of an issue, so it is searched for.
  const [match = "", first, last] = RANGE.exec(words) ?? SINGLE_NUMBER.exec(words.trim()) ?? [];
  const numbers = [Number(first), Number(last ?? first)];
  return {
    ...filters,
    text: words.replace(match, " ").trim(),
    range: first === undefined ? null : { first: Math.min(...numbers), last: Math.max(...numbers) },
  };
}

const FILTER = /(?<!\S)@?(file|tool|session):(?:"([^"\n]+)"|([^\s"]+))/g;
/** `#40-#60`, also as `#40-60`, with another dash, or in brackets as citations are written. */
const RANGE = /(?<!\S)\[?#(\d{1,15})\]?\s*(?:-|–|\.\.)\s*\[?#?(\d{1,15})\]?(?!\S)/;
const SINGLE_NUMBER = /^\[?#?(\d{1,15})\]?$/;

function toRelativePath(path: string, root: string | undefined): string {
  return root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
