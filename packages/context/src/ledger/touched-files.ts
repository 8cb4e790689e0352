/** Lists the files that entries read and modified, from the arguments of tool calls, their results and shell lines. */

import { type Entry, readPithDetails } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  ToolCallBlock,
  ToolResultMessage,
} from "../message.ts";
import type { ToolRole, ToolRoles } from "../settings.ts";
import { applyTouches, type TouchedFile } from "./apply-touches.ts";
import { findShellTouches, type PathTouch } from "./shell-commands.ts";

/** Collects the files that a branch read and modified: from calls, shell lines, compactions and branch summaries (INV40, INV41). */
export function collectFileLists(entries: readonly Entry[], roles: ToolRoles = {}): FileLists {
  return newestFileLists(fileTouches(entries, roles));
}

/** Sorted lists of paths without duplicates. A modified file is not in the list of read files (B47). */
export interface FileLists {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** The paths that a tool call reads and modifies, and the shell lines it runs. */
export interface ToolCallEffects {
  readonly reads: readonly string[];
  readonly modifies: readonly string[];
  readonly runs: readonly string[];
}

/** Sorts touches into file lists, with at most `limit` of the most recent paths in each. */
export function newestFileLists(touches: readonly PathTouch[], limit: number = Number.POSITIVE_INFINITY): FileLists {
  const files = applyTouches(touches);
  const selectPaths = (wanted: TouchedFile["did"]): readonly string[] =>
    files.flatMap(({ path, did }) => (did === wanted ? path : [])).slice(-limit);
  return { read: selectPaths("read").toSorted(), modified: selectPaths("modified").toSorted() };
}

/** Lists every read, change, deletion and move of a file, in the order of the entries. */
export function fileTouches(entries: readonly Entry[], roles: ToolRoles = {}): readonly FileTouch[] {
  const results = pairCallResults(entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])));
  return entries.flatMap((entry) =>
    entryTouches(entry, { roles, results }).map((touch) => ({ ...touch, entryId: entry.id })),
  );
}

/** A touched path, as written, and the entry that names it. */
export type FileTouch = PathTouch & { readonly entryId: string };

interface TouchContext {
  readonly roles: ToolRoles;
  readonly results: ReturnType<typeof pairCallResults>;
}

function entryTouches(entry: Entry, context: TouchContext): readonly PathTouch[] {
  switch (entry.type) {
    case "message":
      return messageTouches(entry.message, context);
    case "compaction":
    case "branch_summary":
      return readFileLists(entry.details);
    default:
      return [];
  }
}

/** Reads the file lists of a compaction or a branch summary, which are in pi's format. */
export function readFileLists(details: unknown): readonly TouchedFile[] {
  const { readFiles, modifiedFiles } = isObject(details) ? details : {};
  return listTouches({ read: readFiles, modified: modifiedFiles });
}

function listTouches({ read, modified }: Readonly<Record<string, unknown>>): readonly TouchedFile[] {
  return [...parseTouches(read, "read"), ...parseTouches(modified, "modified")];
}

function parseTouches(list: unknown, did: TouchedFile["did"]): readonly TouchedFile[] {
  return Array.isArray(list) ? list.flatMap((path) => (isFilePath(path) ? [{ path, did }] : [])) : [];
}

function messageTouches(message: AgentMessage, context: TouchContext): readonly PathTouch[] {
  switch (message.role) {
    case "assistant":
      return completeToolCalls(message).flatMap((call) => {
        const result = context.results.get(call);
        if (result && readReportedTouches(result)) return [];
        return dropFailedChanges(toolCallTouches(call, context.roles), result?.isError === true);
      });
    case "toolResult":
      return resultTouches(message, context);
    case "bashExecution":
      return bashTouches(message);
    case "system":
    case "user":
    case "custom":
    case "compactionSummary":
    case "branchSummary":
      return [];
  }
}

/** Reads the touches that the tool itself reports. They are more exact than its arguments, even if the tool failed halfway. */
function readReportedTouches({ details }: ToolResultMessage): readonly PathTouch[] | null {
  const { touched } = readPithDetails(details);
  return isObject(touched) ? listTouches(touched) : null;
}

function toolCallTouches(call: unknown, roles: ToolRoles): readonly PathTouch[] {
  const { reads, modifies, runs } = toolCallEffects(call, roles);
  return [...listTouches({ read: reads, modified: modifies }), ...runs.flatMap(shellFileTouches)];
}

function shellFileTouches(line: string): readonly PathTouch[] {
  return findShellTouches(line).filter(({ path }) => isFilePath(path));
}

// LED1: a failed call modified nothing.
function dropFailedChanges(touches: readonly PathTouch[], hasFailed: boolean): readonly PathTouch[] {
  return hasFailed ? touches.filter(({ did }) => did === "read") : touches;
}

function resultTouches(message: ToolResultMessage, { roles }: TouchContext): readonly PathTouch[] {
  const nested = readNestedCalls(message).flatMap((call) => toolCallTouches(call, roles));
  return readReportedTouches(message) ?? dropFailedChanges(nested, message.isError === true);
}

// pi 1.5 lists the calls that a program of the model made while it ran in a tool.
function readNestedCalls(message: ToolResultMessage & { readonly nestedCalls?: unknown }): readonly unknown[] {
  return Array.isArray(message.nestedCalls) ? message.nestedCalls : [];
}

// LED6: a shell line that is excluded from the context adds no files.
function bashTouches({ command, exitCode, cancelled, excludeFromContext }: BashExecutionMessage): readonly PathTouch[] {
  if (excludeFromContext) return [];
  return dropFailedChanges(shellFileTouches(command), cancelled || (exitCode ?? 0) !== 0);
}

/** Whether a value can be a file path: not a folder, a URL or a reference such as `#12`, and not too long. */
function isFilePath(path: unknown): path is string {
  if (typeof path !== "string" || path.length > MAX_FILE_PATH_CHARS || !/\S/.test(path)) return false;
  return !/^(?:https?|data|entry|blob):|^#\d{1,15}$|(?:^|[\\/])\.{0,2}$/.test(path);
}

const MAX_FILE_PATH_CHARS = 1000;

/** Finds the effects of a tool call. The call comes from a file, so it may be any value. */
export function toolCallEffects(call: unknown, roles: ToolRoles): ToolCallEffects {
  const { name, arguments: rawArguments } = isObject(call) ? call : {};
  const args = isObject(rawArguments) ? rawArguments : {};
  const role = typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
  return role ? effectsFromRole(role, args) : effectsFromArguments(args);
}

function effectsFromRole({ reads = [], modifies = [], runs = [] }: ToolRole, args: JsonObject): ToolCallEffects {
  return {
    reads: argumentTexts(args, reads),
    modifies: argumentTexts(args, modifies),
    runs: argumentTexts(args, runs),
  };
}

// LED1: the arguments decide, not the tool's name. A path with new text is modified; a path with a pattern is a search folder.
function effectsFromArguments(args: JsonObject): ToolCallEffects {
  const paths = argumentTexts(args, matchArgumentNames(args, PATH_ARGUMENT_NAMES));
  if (paths.length === 0)
    return { ...NO_EFFECTS, runs: argumentTexts(args, matchArgumentNames(args, COMMAND_ARGUMENT_NAMES)) };
  if (matchArgumentNames(args, CHANGE_ARGUMENT_NAMES).length > 0) return { ...NO_EFFECTS, modifies: paths };
  return matchArgumentNames(args, SEARCH_ARGUMENT_NAMES).length > 0 ? NO_EFFECTS : { ...NO_EFFECTS, reads: paths };
}

const NO_EFFECTS: ToolCallEffects = { reads: [], modifies: [], runs: [] };

/** Returns the argument names that match a pattern. `file_path`, `filePath` and `file-path` are equal. */
function matchArgumentNames(args: JsonObject, pattern: RegExp): readonly string[] {
  return Object.keys(args).filter(
    (name) => args[name] != null && pattern.test(name.replace(/[_-]/g, "").toLowerCase()),
  );
}

const PATH_ARGUMENT_NAMES = /^(?:(?:file|notebook|absolute|relative)?paths?|(?:target)?files?|filenames?)$/;
const CHANGE_ARGUMENT_NAMES =
  /^(?:(?:new)?contents?|filetext|edits|(?:old|new|insert)text|(?:old|new)str(?:ing)?|newsource|codeedit|patch|diff|replacement)$/;
const SEARCH_ARGUMENT_NAMES = /^(?:pattern|query|regex|glob)$/;
const COMMAND_ARGUMENT_NAMES = /^(?:command|cmd|script)$/;

function argumentTexts(args: JsonObject, names: readonly string[]): readonly string[] {
  const values = names.flatMap((name) => (Object.hasOwn(args, name) ? args[name] : []));
  return values.filter((value) => typeof value === "string");
}

/** Pairs tool calls with results. A result belongs to the newest call before it with its id: an id may occur twice in a file. */
export function pairCallResults(messages: readonly AgentMessage[]): ReadonlyMap<ToolCallBlock, ToolResultMessage> {
  const openCalls = new Map<string, ToolCallBlock>();
  const results = new Map<ToolCallBlock, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of completeToolCalls(message)) openCalls.set(call.id, call);
    const call = message.role === "toolResult" ? openCalls.get(message.toolCallId) : undefined;
    if (call && message.role === "toolResult" && !results.has(call)) results.set(call, message);
  }
  return results;
}

/** Returns the tool calls of a message. A message that failed or was stopped has none, because its calls were never run. */
export function completeToolCalls({ content, stopReason }: AssistantMessage): readonly ToolCallBlock[] {
  if (stopReason === "error" || stopReason === "aborted" || !Array.isArray(content)) return [];
  return content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}
