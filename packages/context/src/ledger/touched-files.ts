/** Lists the files that entries read and modified, by what tools and their calls declare, whatever the tools are called. */

import type { Entry } from "../entry.ts";
import { isObject, type JsonObject } from "../format/read-line.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  ToolCallBlock,
  ToolResultMessage,
} from "../message.ts";
import { shellTouches, type Touch } from "./shell-files.ts";

/** A result answers the newest call before it that bears its id: in a file, an id may occur twice. */
export function callResults(messages: readonly AgentMessage[]): ReadonlyMap<ToolCallBlock, ToolResultMessage> {
  const open = new Map<string, ToolCallBlock>();
  const results = new Map<ToolCallBlock, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of callsIn(message)) open.set(call.id, call);
    const call = message.role === "toolResult" ? open.get(message.toolCallId) : undefined;
    if (call && message.role === "toolResult" && !results.has(call)) results.set(call, message);
  }
  return results;
}

/** None where the message failed or was stopped: then nobody ran them. */
export function callsIn({ content, stopReason }: AssistantMessage): readonly ToolCallBlock[] {
  if (stopReason === "error" || stopReason === "aborted" || !Array.isArray(content)) return [];
  return content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}

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

/** Sorted, each path once; what was modified is not among the read ones (B47). */
export interface TouchedFiles {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** One path, as it was said, and the entry that says so. */
export interface FileTouch extends Touch {
  readonly entryId: string;
}

/** Complete for any branch: calls, shell lines, and what compactions and branch summaries carry of others (INV40, INV41). */
export function touchedFiles(entries: readonly Entry[], roles: ToolRoles = {}): TouchedFiles {
  return newestFiles(fileTouches(entries, roles));
}

/** Of each list no more than `most` paths, those that were touched last; sorted all the same. */
export function newestFiles(touches: readonly Touch[], most: number = Number.POSITIVE_INFINITY): TouchedFiles {
  const known = new Map<string, Touch["did"]>();
  for (const { path, did } of touches) {
    const before = known.get(path);
    known.delete(path);
    known.set(path, before === "modified" ? before : did);
  }
  const those = (wanted: Touch["did"]): readonly string[] =>
    [...known].flatMap(([path, did]) => (did === wanted ? path : [])).slice(-most);
  return { read: those("read").toSorted(), modified: those("modified").toSorted() };
}

/** In the order of the entries; a file that was touched again comes again. */
export function fileTouches(entries: readonly Entry[], roles: ToolRoles = {}): readonly FileTouch[] {
  const results = callResults(entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])));
  return entries.flatMap((entry) =>
    touchesOf(entry, { roles, results }).map(({ path, did }) => ({ path, did, entryId: entry.id })),
  );
}

interface Known {
  readonly roles: ToolRoles;
  readonly results: ReturnType<typeof callResults>;
}

function touchesOf(entry: Entry, known: Known): readonly Touch[] {
  switch (entry.type) {
    case "message":
      return saidIn(entry.message, known);
    case "compaction":
    case "branch_summary":
      return carriedFiles(entry.details);
    default:
      return [];
  }
}

/** The lists of files in the details of a compaction or a branch summary, in pi's spelling. */
export function carriedFiles(details: unknown): readonly Touch[] {
  const { readFiles, modifiedFiles } = isObject(details) ? details : {};
  return listed({ read: readFiles, modified: modifiedFiles });
}

function listed({ read, modified }: Readonly<Record<string, unknown>>): readonly Touch[] {
  return [...filesIn(read, "read"), ...filesIn(modified, "modified")];
}

function filesIn(list: unknown, did: Touch["did"]): readonly Touch[] {
  return Array.isArray(list) ? list.flatMap((path) => (isFile(path) ? [{ path, did }] : [])) : [];
}

function saidIn(message: AgentMessage, known: Known): readonly Touch[] {
  switch (message.role) {
    case "assistant":
      return saidByCalls(message, known);
    case "toolResult":
      return saidByResult(message, known);
    case "bashExecution":
      return saidByUser(message);
    case "system":
    case "user":
    case "custom":
    case "compactionSummary":
    case "branchSummary":
      return [];
  }
}

function saidByCalls(message: AssistantMessage, { roles, results }: Known): readonly Touch[] {
  return callsIn(message).flatMap((call) => {
    const result = results.get(call);
    if (result && toldBy(result)) return [];
    return done(touchesOfCall(call, roles), result?.isError === true);
  });
}

/** What the tool itself says it touched; it knows better than its arguments, also where it failed half way. */
function toldBy({ details }: ToolResultMessage): readonly Touch[] | null {
  const pith = isObject(details) ? details.pith : null;
  return isObject(pith) && isObject(pith.touched) ? listed(pith.touched) : null;
}

function touchesOfCall(call: unknown, roles: ToolRoles): readonly Touch[] {
  const { reads, modifies, runs } = callMeaning(call, roles);
  return [...listed({ read: reads, modified: modifies }), ...runs.flatMap(namedInShell)];
}

function namedInShell(line: string): readonly Touch[] {
  return shellTouches(line).filter(({ path }) => isFile(path));
}

// LED1: a call that failed modified nothing.
function done(touches: readonly Touch[], failed: boolean): readonly Touch[] {
  return failed ? touches.filter(({ did }) => did === "read") : touches;
}

function saidByResult(message: ToolResultMessage, { roles }: Known): readonly Touch[] {
  const nested = nestedCalls(message).flatMap((call) => touchesOfCall(call, roles));
  return toldBy(message) ?? done(nested, message.isError === true);
}

// pi 1.5 lists here the calls that a program of the model's made while it ran in a tool.
function nestedCalls(message: ToolResultMessage & { readonly nestedCalls?: unknown }): readonly unknown[] {
  return Array.isArray(message.nestedCalls) ? message.nestedCalls : [];
}

// LED6: what is kept from the model is not told to it by way of a list.
function saidByUser({ command, exitCode, cancelled, excludeFromContext }: BashExecutionMessage): readonly Touch[] {
  if (excludeFromContext) return [];
  return done(namedInShell(command), cancelled || (exitCode ?? 0) !== 0);
}

/** Not a folder, an address or a handle, and no longer than a path may be. */
function isFile(path: unknown): path is string {
  if (typeof path !== "string" || path.length > LONGEST || !/\S/.test(path)) return false;
  return !/^(?:https?|data|entry|blob):|(?:^|[\\/])\.{0,2}$/.test(path);
}

const LONGEST = 1000;
