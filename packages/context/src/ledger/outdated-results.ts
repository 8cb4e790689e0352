/** Finds the tool results that a later entry makes outdated. The transcript and the removal of outdated results share this definition. */

import { latestEdit } from "../context/build-context.ts";
import { type ContextEditEntry, type Entry, type MessageEntry, readPithDetails, STATE_TYPE } from "../entry.ts";
import { isObject } from "../json.ts";
import type { AgentMessage, ToolCallBlock, ToolResultMessage } from "../message.ts";
import { RECALL_TOOL } from "../settings.ts";
import { fileKey } from "./apply-touches.ts";
import { parseInvocation, parseShellCommands } from "./shell-commands.ts";
import { completeToolCalls, pairCallResults } from "./touched-files.ts";

/**
 * Why a result is outdated. `read-again`: a later read shows the same text, or the whole file as it is now. `written`: the whole file was
 * written later. `edited`: a part of the file was changed later. `repeated`: a later result has the same text. `listed-again`: the same
 * listing or search was made again.
 */
export type OutdatedReason = "read-again" | "written" | "edited" | "repeated" | "listed-again";

/** An outdated tool result, or outdated files that were read again after a compaction. */
export interface OutdatedResult {
  readonly entry: Entry;
  /** Null for files that were read again after a compaction. */
  readonly result: ToolResultMessage | null;
  readonly why: OutdatedReason;
  /** The file that was read, as the call names it; null for other tools. */
  readonly path: string | null;
  /** The later entry: a result or a call with the newer text, or the call that changed the file. */
  readonly newer: MessageEntry;
}

export interface OutdatedOptions {
  readonly edits: readonly ContextEditEntry[];
  /** Whether an outdated result may be treated as such. If not, it counts as shown and can make earlier results outdated. */
  readonly accepts: (outdated: OutdatedResult) => boolean;
}

/**
 * Finds outdated results, oldest first. Failed calls, and entries with a context edit, neither are outdated nor make others outdated.
 * Calls of the same message may have run in any order, so they make no other call of it outdated.
 */
export function findOutdatedResults(
  entries: readonly Entry[],
  { edits, accepts }: OutdatedOptions,
): readonly OutdatedResult[] {
  const shown = new ShownTexts();
  const outdatedResults: OutdatedResult[] = [];
  const callsByMessage = Map.groupBy(collectFinishedCalls(entries, edits), ({ callEntry }): Entry => callEntry);
  for (const entry of entries.toReversed()) {
    const calls = callsByMessage.get(entry) ?? [];
    const copies = latestEdit(edits, entry) ? null : findOutdatedCopies(entry, shown);
    const found = [copies, ...calls.map((call) => findOutdatedResult(call, shown))].filter(
      (outdated) => outdated !== null,
    );
    const accepted = found.filter(accepts);
    const outdated = new Set(accepted.map(({ result }) => result));
    for (const call of calls) if (!outdated.has(call.result)) shown.add(call);
    outdatedResults.unshift(...accepted);
  }
  return outdatedResults;
}

function findOutdatedResult(call: FinishedCall, shown: ShownTexts): OutdatedResult | null {
  const newer = shown.findNewer(call);
  return newer && { entry: call.resultEntry, result: call.result, path: call.readPath, ...newer };
}

/** Files that were read again after a compaction are outdated together, if each of them is shown as a whole later. */
function findOutdatedCopies(entry: Entry, shown: ShownTexts): OutdatedResult | null {
  const newer = listCopiedFiles(entry).map((name) => shown.findWhole(name));
  const [first] = newer;
  return first && newer.every((each) => each !== undefined) ? { entry, result: null, path: null, ...first } : null;
}

// The details come from a file and are not trusted.
function listCopiedFiles(entry: Entry): readonly string[] {
  if (entry.type !== "custom_message" || entry.customType !== `${STATE_TYPE}.files`) return [];
  const { files } = readPithDetails(entry.details) as { readonly files?: unknown };
  return (Array.isArray(files) ? files : []).map((file) => String(Object(file).name));
}

/** A successful call and what it shows. */
export interface FinishedCall {
  readonly call: ToolCallBlock;
  readonly result: ToolResultMessage;
  readonly callEntry: MessageEntry;
  readonly resultEntry: MessageEntry;
  /** The path of a `read` call. */
  readonly readPath: string | null;
  /** The path of a file that the call writes as a whole. */
  readonly writePath: string | null;
  /** The path of a file that the call changes in part. */
  readonly editPath: string | null;
}

/** Returns the successful calls whose entries are shown unchanged, in order. */
export function collectFinishedCalls(
  entries: readonly Entry[],
  edits: readonly ContextEditEntry[],
): readonly FinishedCall[] {
  const entryByMessage = new Map<AgentMessage, MessageEntry>();
  for (const entry of entries)
    if (entry.type === "message" && isObject(entry.message) && !latestEdit(edits, entry))
      entryByMessage.set(entry.message, entry);
  const results = pairCallResults([...entryByMessage.keys()]);
  return [...entryByMessage].flatMap(([message, callEntry]) =>
    (message.role === "assistant" ? completeToolCalls(message) : []).flatMap((call) => {
      const result = results.get(call);
      const resultEntry = result && entryByMessage.get(result);
      if (!result || !resultEntry || result.isError || !isObject(call.arguments)) return [];
      return [{ call, result, callEntry, resultEntry, ...parseFileUse(call) }];
    }),
  );
}

/** Recognises the tools of pi and Pith by name. The arguments of other tools do not say what they do with a path. */
function parseFileUse({ name, arguments: args }: ToolCallBlock): FileUse {
  const path = typeof args.path === "string" ? args.path : args.file_path;
  if (typeof path !== "string") return NO_FILE_USE;
  switch (name) {
    case "read":
      return { ...NO_FILE_USE, readPath: path };
    case "write":
      return typeof args.content === "string" ? { ...NO_FILE_USE, writePath: path } : NO_FILE_USE;
    case "edit":
      return { ...NO_FILE_USE, editPath: path };
    default:
      return NO_FILE_USE;
  }
}

type FileUse = Pick<FinishedCall, "readPath" | "writePath" | "editPath">;

const NO_FILE_USE: FileUse = { readPath: null, writePath: null, editPath: null };

type NewerEntry = Pick<OutdatedResult, "why" | "newer">;

/** What later entries show, collected from the end of the branch. */
class ShownTexts {
  /** The newest entry with the whole text of each file, and how it came there. */
  readonly #wholeFiles = new Map<string, NewerEntry>();
  readonly #reads = new Map<string, { readonly text: string; readonly newer: MessageEntry }[]>();
  readonly #edits = new Map<string, MessageEntry>();
  readonly #listings = new Map<string, MessageEntry>();
  readonly #texts = new Map<string, MessageEntry>();

  /** Returns the later entry with the whole text of a file. */
  findWhole(path: string): NewerEntry | undefined {
    return this.#wholeFiles.get(fileKey(path));
  }

  /** Returns the later entry that makes a result outdated, or null. */
  findNewer({ call, result, readPath }: FinishedCall): NewerEntry | null {
    const text = resultText(result);
    if (text === null) return null;
    const file = readPath === null ? null : fileKey(readPath);
    const whole = file === null ? undefined : this.#wholeFiles.get(file);
    if (whole) return whole;
    const lines = withoutPageNote(text);
    const read = file === null ? undefined : this.#reads.get(file)?.find((later) => containsLines(later.text, lines));
    if (read) return { why: "read-again", newer: read.newer };
    const repeated = this.#texts.get(text);
    if (repeated) return { why: "repeated", newer: repeated };
    const listing = isListing(call) ? this.#listings.get(callKey(call)) : undefined;
    if (listing) return { why: "listed-again", newer: listing };
    const edit = file === null ? undefined : this.#edits.get(file);
    return edit ? { why: "edited", newer: edit } : null;
  }

  /** Adds a call that stays as it is. Calls are added from the newest to the oldest. */
  add({ call, result, callEntry, resultEntry, readPath, writePath, editPath }: FinishedCall): void {
    const text = resultText(result);
    if (writePath !== null) addIfAbsent(this.#wholeFiles, fileKey(writePath), { why: "written", newer: callEntry });
    if (editPath !== null) addIfAbsent(this.#edits, fileKey(editPath), callEntry);
    if (text === null) return;
    addIfAbsent(this.#texts, text, resultEntry);
    if (isListing(call)) addIfAbsent(this.#listings, callKey(call), resultEntry);
    if (readPath === null) return;
    const file = fileKey(readPath);
    this.#reads.set(file, [...(this.#reads.get(file) ?? []), { text, newer: resultEntry }]);
    if (isWholeRead(call, text)) addIfAbsent(this.#wholeFiles, file, { why: "read-again", newer: resultEntry });
  }
}

function addIfAbsent<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}

/** Returns the text of a result; null if it has none, or has other content such as an image. */
function resultText({ content }: ToolResultMessage): string | null {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
  return texts.length === blocks.length && texts.some((text) => text !== "") ? texts.join("\n\n") : null;
}

function isWholeRead({ arguments: { offset, limit } }: ToolCallBlock, text: string): boolean {
  // A note of the tool is the last line, in brackets. A file that ends so may not be whole either.
  return (
    limit === undefined && (offset === undefined || offset === 1) && !/^(?:\[.*\]|\.\.\. \(.*\))$/.test(lastLine(text))
  );
}

/** Removes the note that more lines follow, in the words of pi or Pith: `[lines 1 to 40 of 90; continue with offset 41]`. */
function withoutPageNote(text: string): string {
  const line = lastLine(text);
  const isNote = /^(?:\[.*\boffset\W?\d.*\]|\.\.\. \(.*\boffset\W?\d.*\))$/.test(line);
  return (isNote ? text.slice(0, text.lastIndexOf(line)) : text).replace(/\n+$/, "");
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1);
}

function containsLines(text: string, lines: string): boolean {
  return `\n${text}\n`.includes(`\n${lines}\n`);
}

/** Whether a call only lists files, their state or entries, so that the same call answers the same question anew. */
function isListing({ name, arguments: args }: ToolCallBlock): boolean {
  if (name === "ls" || name === "find" || name === RECALL_TOOL) return true;
  if (name !== "bash" || typeof args.command !== "string") return false;
  const [command, ...more] = parseShellCommands(args.command);
  if (!command || more.length > 0 || command.inputPaths.length + command.outputPaths.length > 0) return false;
  const invocation = parseInvocation(command.words);
  return (
    LISTING_PROGRAMS.test(invocation.name) &&
    !invocation.args.some((word) => word === null || /^-(?:exec|ok|delete|f)/.test(word))
  );
}

const LISTING_PROGRAMS = /^(?:ls|tree|find|git status)$/;

function callKey({ name, arguments: args }: ToolCallBlock): string {
  return `${name} ${JSON.stringify(Object.entries(args).toSorted(([one], [other]) => (one < other ? -1 : 1)))}`;
}
