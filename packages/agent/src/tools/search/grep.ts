/** Defines the `grep` tool: finds lines that match a pattern, each with its file and line number. */

import type { GrepHit, GrepWish, SearchAct } from "../../ports.ts";
import { cuttable, visible } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { type Argument, type Asked, all, flagOf, isGiven } from "../arguments.ts";
import { failed } from "../output.ts";
import {
  answer,
  type Count,
  countOf,
  lineOf,
  lookIntent,
  placeOf,
  type SearchParts,
  searchAct,
  under,
} from "./search.ts";

// One line of minified code can have megabytes.
const LONGEST_LINE = 500;

const MARK = "[…]";
/** What is shown before the hit. */
const LEAD = 150;

export interface LongLine extends Pick<GrepWish, "redaction"> {
  /** More of it follows, known to somebody else. */
  readonly goesOn?: boolean;
}

/** The line itself where it is short enough; else no longer than that, marks included. */
export function cutAround(whole: string, place: number, { goesOn = false, redaction }: LongLine = {}): string {
  if (whole.length <= LONGEST_LINE) return whole;
  const line = redaction?.redact(whole) ?? whole;
  // What stands before the hit may have become shorter.
  const hit = line === whole ? place : (redaction?.redact(whole.slice(0, place)).length ?? place);
  const room = LONGEST_LINE - 2 * MARK.length;
  const start = cuttable(line, Math.max(0, Math.min(hit - LEAD, line.length - room)));
  const end = cuttable(line, Math.min(start + room, line.length));
  const before = start > 0 ? MARK : "";
  const after = end < line.length || goesOn ? MARK : "";
  return before + line.slice(start, end) + after;
}

export function grepTool(parts: SearchParts): Tool {
  return {
    name: "grep",
    description:
      "Finds lines by a regular expression. Leaves out ignored and binary files, and those over 64 MB unless path names them.",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (asked) => lookIntent(asked, parts),
    run: (call) => grep(call, parts),
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

interface Looking extends Pick<SearchParts, "search"> {
  readonly act: SearchAct;
}

interface Place {
  readonly asked: string;
  readonly isFile: boolean;
}

const LIMIT: Count = { unlessSaid: 100, from: 1, most: 2_000 };
const CONTEXT: Count = { unlessSaid: 0, from: 0, most: 50 };

async function grep(call: ToolCall, { files, search }: SearchParts): Promise<ToolOutput> {
  const { arguments: asked, room } = call;
  const wish = wishOf(asked);
  if (wish.type === "wrong") return failed(wish.message);
  const { most, ...how } = wish.value;
  const path = files.resolve(placeOf(asked));
  const act = searchAct(path, call, most);
  const hits = await search.grep({ ...how, path }, act);
  if (hits.type !== "found") return failed(visible(hits.message));
  const place = { asked: placeOf(asked), isFile: await isFile(path, hits.found, { search, act }) };
  const count = hits.found.filter(({ isAround }) => !isAround).length;
  return answer({ ...words, lines: hits.found.map((hit) => shown(hit, place)), count, isAll: hits.isAll }, room);
}

function wishOf(asked: Asked): Argument<Omit<GrepWish, "path"> & { readonly most: number }> {
  return all({
    pattern: lineOf(asked, "pattern"),
    ...(isGiven(asked.glob) && { glob: lineOf(asked, "glob") }),
    isLiteral: flagOf(asked, "literal"),
    ignoresCase: flagOf(asked, "ignoreCase"),
    around: countOf(asked, "context", CONTEXT),
    most: countOf(asked, "limit", LIMIT),
  });
}

const words = {
  noun: "hit",
  ifNone:
    "[no hits; ignored files are left out unless path names them, binary files and those that may not be read always]",
  narrow: "narrow pattern, path or glob",
};

/** A hit in a file that was asked for bears that file's name, and so may one in a folder that has a file of its own name. */
async function isFile(path: string, hits: readonly GrepHit[], { search, act }: Looking): Promise<boolean> {
  const name = path.split(/[\\/]/).at(-1);
  if (hits.every((hit) => hit.path !== name)) return false;
  return (await search.list(path, { ...act, most: 1 })).type !== "found";
}

function shown({ path, line, text, isAround }: GrepHit, { asked, isFile }: Place): string {
  const sign = isAround ? "-" : ":";
  return `${isFile ? asked : under(asked, path)}${sign}${line}${sign} ${cutAround(text, 0)}`;
}
