/** What a tool's call says of itself: the files it names and the shell lines it runs, as its host declared or as its arguments show. */

import { isObject, type JsonObject } from "../../session/codec/line/read-line.ts";

/** By the tool's name. A tool that is declared without a role touches nothing. */
export type ToolRoles = Readonly<Record<string, ToolRole>>;

/** Names of arguments that hold a text or a list of texts. */
export interface ToolRole {
  readonly reads?: readonly string[];
  readonly modifies?: readonly string[];
  /** Shell lines. */
  readonly runs?: readonly string[];
}

export interface CallMeaning {
  readonly reads: readonly string[];
  readonly modifies: readonly string[];
  readonly runs: readonly string[];
}

/** The call comes from a file, so it may be anything. */
export function callMeaning(call: unknown, roles: ToolRoles): CallMeaning {
  const { name, arguments: given } = isObject(call) ? call : {};
  const args = isObject(given) ? given : {};
  const role = typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
  return role ? declared(role, args) : shown(args);
}

function declared({ reads = [], modifies = [], runs = [] }: ToolRole, args: JsonObject): CallMeaning {
  return { reads: textsIn(args, reads), modifies: textsIn(args, modifies), runs: textsIn(args, runs) };
}

// LED1: whatever a tool is called, a path beside new text is modified, a path beside a pattern is where to search.
function shown(args: JsonObject): CallMeaning {
  const paths = textsIn(args, namesIn(args, PATHS));
  if (paths.length === 0) return { ...nothing, runs: textsIn(args, namesIn(args, COMMANDS)) };
  if (namesIn(args, CHANGES).length > 0) return { ...nothing, modifies: paths };
  return namesIn(args, SEARCHES).length > 0 ? nothing : { ...nothing, reads: paths };
}

const nothing: CallMeaning = { reads: [], modifies: [], runs: [] };

/** Its names as they are spelled there; `file_path`, `filePath` and `file-path` are one. */
function namesIn(args: JsonObject, names: RegExp): readonly string[] {
  return Object.keys(args).filter((name) => args[name] != null && names.test(name.replace(/[_-]/g, "").toLowerCase()));
}

const PATHS = /^(?:(?:file|notebook|absolute|relative)?paths?|(?:target)?files?|filenames?)$/;
const CHANGES =
  /^(?:(?:new)?contents?|filetext|edits|(?:old|new|insert)text|(?:old|new)str(?:ing)?|newsource|codeedit|patch|diff|replacement)$/;
const SEARCHES = /^(?:pattern|query|regex|glob)$/;
const COMMANDS = /^(?:command|cmd|script)$/;

function textsIn(args: JsonObject, names: readonly string[]): readonly string[] {
  const values = names.flatMap((name) => (Object.hasOwn(args, name) ? args[name] : []));
  return values.filter((value) => typeof value === "string");
}
