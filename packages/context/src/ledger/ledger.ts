/**
 * Defines the ledger, a record of the work that code collects without a model, merges ledgers within fixed limits, and reads a stored one.
 * A stored ledger comes from a file, so nothing in it is trusted.
 */

import { blobReference } from "../citations.ts";
import { readPithDetails } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { applyTouches, type TouchedFile } from "./apply-touches.ts";
import { type CheckKind, findChecks } from "./find-checks.ts";
import { readFileLists } from "./touched-files.ts";

/** Files, checks, errors, commits and images of a session. Every list has its newest item last. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Counts of files that are no longer listed by name. */
  readonly folders: readonly LedgerFolder[];
  /** The last test, build and check command. */
  readonly checks: readonly LedgerCheck[];
  /** Errors that are still open. */
  readonly errors: readonly LedgerError[];
  readonly commits: readonly LedgerCommit[];
  readonly images: readonly LedgerImage[];
}

/** A file that was read or modified. A modified file stays `modified` when it is read later. */
export type LedgerFile = TouchedFile;

/** The number of rolled-up files in a folder. The folder "." counts top-level files and folders that are no longer listed. */
export interface LedgerFolder {
  readonly folder: string;
  readonly read: number;
  readonly modified: number;
}

/** The last run of a test, build or check command. */
export interface LedgerCheck {
  readonly kind: CheckKind;
  readonly command: string;
  /** Null if it is unknown. */
  readonly exitCode: number | null;
  /** The counts in its output, e.g. `12 passed, 1 failed`; null if there are none. */
  readonly outcome: string | null;
}

/** An error that no later run has closed. */
export interface LedgerError {
  readonly kind: "command" | "file" | "tool";
  /** The command that failed, the file that was not modified, or the tool's name. */
  readonly source: string;
  readonly text: string;
}

/** A git commit. */
export interface LedgerCommit {
  /** Null if git did not print it. */
  readonly hash: string | null;
  readonly subject: string;
}

/** An image of the conversation, with the reference that opens it. */
export interface LedgerImage {
  /** The reference for the `read` tool: `#412`, `entry:<id>` or `blob:<hash>`. */
  readonly handle: string;
  /** E.g. `800x600`. */
  readonly size: string | null;
  readonly path: string | null;
  readonly caption: string | null;
  readonly entryId: string;
}

/** A ledger without items. */
export const emptyLedger: Ledger = { files: [], folders: [], checks: [], errors: [], commits: [], images: [] };

/** The maximum number of items in each list. `git log` shows the other commits. */
export const MAX_LEDGER_ITEMS = { modified: 60, read: 100, folders: 60, errors: 6, commits: 5, images: 30 } as const;

/** The maximum length of each text from outside, in characters. */
export const MAX_LEDGER_CHARS = {
  path: 1000,
  command: 300,
  line: 240,
  outcome: 160,
  subject: 100,
  caption: 80,
  handle: 110,
  id: 100,
} as const;

/** Merges two ledgers. */
export function mergeLedgerPair(older: Ledger, newer: Ledger): Ledger {
  return mergeLedgers([older, newer]);
}

/** Merges ledgers, oldest first, within the limits. Merging in several steps gives the same result as merging at once. */
export function mergeLedgers(ledgers: readonly Ledger[]): Ledger {
  const files = splitNewestFiles(ledgers.flatMap((ledger) => ledger.files));
  return {
    files: files.listed,
    folders: rollUpFolders(
      ledgers.flatMap((ledger) => ledger.folders),
      files.tooOld,
    ),
    checks: newestChecks(ledgers.flatMap((ledger) => ledger.checks)),
    errors: newestErrors(ledgers.flatMap((ledger) => ledger.errors)),
    commits: newestCommits(ledgers.flatMap((ledger) => ledger.commits)),
    images: newestImages(ledgers.flatMap((ledger) => ledger.images)),
  };
}

/** Returns the newest check of each kind. */
function newestChecks(checks: readonly LedgerCheck[]): readonly LedgerCheck[] {
  return newestByKey(checks, ({ kind }) => kind);
}

/** Returns the newest errors, one per source. */
export function newestErrors(errors: readonly LedgerError[]): readonly LedgerError[] {
  return newestByKey(errors, ({ kind, source }) => `${kind} ${source}`).slice(-MAX_LEDGER_ITEMS.errors);
}

/** Returns the newest commits. An amended commit replaces the one with the same subject. */
export function newestCommits(commits: readonly LedgerCommit[]): readonly LedgerCommit[] {
  return newestByKey(commits, ({ subject }) => subject).slice(-MAX_LEDGER_ITEMS.commits);
}

/** Returns the newest images. Several images of one entry may have the same handle. */
function newestImages(images: readonly LedgerImage[]): readonly LedgerImage[] {
  const key = ({ handle, size, path, caption }: LedgerImage): string => JSON.stringify([handle, size, path, caption]);
  return newestByKey(images, key).slice(-MAX_LEDGER_ITEMS.images);
}

/** Returns one item per key, at the position of the newest. */
function newestByKey<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items) {
    byKey.delete(key(item));
    byKey.set(key(item), item);
  }
  return [...byKey.values()];
}

// LED3: read files do not displace modified files.
function splitNewestFiles(all: readonly LedgerFile[]): {
  listed: readonly LedgerFile[];
  tooOld: readonly LedgerFile[];
} {
  const files = applyTouches(all);
  const listedFiles = new Set([
    ...files.filter(({ did }) => did === "modified").slice(-MAX_LEDGER_ITEMS.modified),
    ...files.filter(({ did }) => did === "read").slice(-MAX_LEDGER_ITEMS.read),
  ]);
  return {
    listed: files.filter((file) => listedFiles.has(file)),
    tooOld: files.filter((file) => !listedFiles.has(file)),
  };
}

/** Adds files to the folder counts. If there are too many folders, the oldest are counted under ".". */
export function rollUpFolders(folders: readonly LedgerFolder[], files: readonly LedgerFile[]): readonly LedgerFolder[] {
  return rollUpOldestFolders(mergeLedgerFolders([...folders, ...files.map(toLedgerFolder)]));
}

/** Returns each folder once, at the position of its newest mention. */
function mergeLedgerFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const byName = new Map<string, LedgerFolder>();
  for (const { folder, read, modified } of folders) {
    const previous = byName.get(folder) ?? { read: 0, modified: 0 };
    byName.delete(folder);
    byName.set(folder, {
      folder,
      read: addFileCounts(previous.read, read),
      modified: addFileCounts(previous.modified, modified),
    });
  }
  return [...byName.values()];
}

// A ledger comes from a file, so a count may be any number.
function addFileCounts(one: number, other: number): number {
  return Math.min(one + other, MAX_FILE_COUNT);
}

/** The maximum count of files in a folder. */
const MAX_FILE_COUNT = 999_999_999;

function toLedgerFolder({ path, did }: LedgerFile): LedgerFolder {
  return { folder: parentFolder(path), read: did === "read" ? 1 : 0, modified: did === "modified" ? 1 : 0 };
}

/** Returns `src/parts` for `src/parts/a.ts`. Slashes and backslashes both separate folders. */
function parentFolder(path: string): string {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (slash < 0) return TOP_FOLDER;
  return path.slice(0, Math.max(slash, 1));
}

const TOP_FOLDER = ".";

function rollUpOldestFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const excess = folders.length - MAX_LEDGER_ITEMS.folders;
  if (excess <= 0) return folders;
  const oldest = folders.slice(0, excess + 1).map((folder) => ({ ...folder, folder: TOP_FOLDER }));
  return mergeLedgerFolders([...oldest, ...folders.slice(excess + 1)]);
}

/** Reads the ledger from `details.pith.ledger`, or from pi's file lists; null if there is neither. `entryId` is the entry with these details. */
export function readLedger(details: unknown, entryId = ""): Ledger | null {
  const stored = findStoredLedger(details);
  if (stored) return mergeLedgers([parseLedger(stored, entryId)]);
  if (!isObject(details) || !(Array.isArray(details.readFiles) || Array.isArray(details.modifiedFiles))) return null;
  return mergeLedgers([{ ...emptyLedger, files: readFileLists(details).map(({ path, did }) => ({ path, did })) }]);
}

/** Whether the details contain a ledger that Pith wrote. */
export function hasStoredLedger(details: unknown): boolean {
  return findStoredLedger(details) !== null;
}

function findStoredLedger(details: unknown): JsonObject | null {
  const { ledger } = readPithDetails(details);
  return isObject(ledger) ? ledger : null;
}

// LED10: earlier versions stored every command, and errors that nothing could close.
function parseLedger(stored: JsonObject, ledgerEntryId: string): Ledger {
  return {
    files: parseLedgerItems(stored.files, parseLedgerFile),
    folders: parseLedgerItems(stored.folders, parseLedgerFolder),
    checks: [
      ...parseLedgerItems(stored.commands, parseOldCommand).flat(),
      ...parseLedgerItems(stored.checks, parseLedgerCheck),
    ],
    errors: parseLedgerItems(stored.errors, parseLedgerError),
    commits: parseLedgerItems(stored.commits, parseLedgerCommit),
    images: parseLedgerItems(stored.images, (item) => parseLedgerImage(item, ledgerEntryId)),
  };
}

/** Parses the items of a list and drops the invalid ones. */
function parseLedgerItems<Item>(list: unknown, parseItem: (item: JsonObject) => Item | null): readonly Item[] {
  const objects = Array.isArray(list) ? list.slice(-MAX_READ_ITEMS).filter(isObject) : [];
  return objects.map(parseItem).filter((item) => item !== null);
}

/** Larger than the limit of every list. */
const MAX_READ_ITEMS = 1_000;

function parseLedgerFile({ path, did }: JsonObject): LedgerFile | null {
  // LED10: earlier versions took a reference such as `#12` for a file.
  return isLedgerPath(path) && !/^#\d{1,15}$/.test(path) && (did === "read" || did === "modified")
    ? { path, did }
    : null;
}

function parseLedgerFolder({ folder, read, modified }: JsonObject): LedgerFolder | null {
  return isLedgerPath(folder) ? { folder, read: toCount(read), modified: toCount(modified) } : null;
}

function parseOldCommand({ command, exitCode }: JsonObject): readonly LedgerCheck[] {
  const text = sanitizeLedgerText(command, MAX_LEDGER_CHARS.command) ?? "";
  return findChecks(text, toExitCode(exitCode)).map((check) => ({
    ...check,
    command: sanitizeLine(check.command, MAX_LEDGER_CHARS.command),
    outcome: null,
  }));
}

function parseLedgerCheck({ kind, command, exitCode, outcome }: JsonObject): LedgerCheck | null {
  const text = sanitizeLedgerText(command, MAX_LEDGER_CHARS.command);
  if (text === null || !(kind === "test" || kind === "build" || kind === "check")) return null;
  return {
    kind,
    command: text,
    exitCode: toExitCode(exitCode),
    outcome: sanitizeLedgerText(outcome, MAX_LEDGER_CHARS.outcome),
  };
}

function parseLedgerError({ kind, source, text: rawText }: JsonObject): LedgerError | null {
  const text = sanitizeLedgerText(rawText, MAX_LEDGER_CHARS.line);
  if (text === null) return null;
  if (kind === "file") return isLedgerPath(source) ? { kind, source, text } : null;
  const sourceText = sanitizeLedgerText(source, MAX_LEDGER_CHARS.command);
  return sourceText !== null && (kind === "command" || kind === "tool") ? { kind, source: sourceText, text } : null;
}

function parseLedgerCommit({ hash, subject: rawSubject }: JsonObject): LedgerCommit | null {
  const subject = sanitizeLedgerText(rawSubject, MAX_LEDGER_CHARS.subject);
  const isHash = typeof hash === "string" && /^[\da-f]{7,40}$/.test(hash);
  return subject === null ? null : { hash: isHash ? hash : null, subject };
}

function parseLedgerImage(
  { handle, size, path, caption, entryId }: JsonObject,
  ledgerEntryId: string,
): LedgerImage | null {
  if (typeof handle !== "string" || !/^(?:(?:blob|entry):.{1,100}|#\d{1,15})$/s.test(handle)) return null;
  return {
    handle: handle.startsWith("blob:") ? blobReference(handle.slice(5)) : handle,
    size: typeof size === "string" && /^\d{1,10}x\d{1,10}$/.test(size) ? size : null,
    path: isLedgerPath(path) ? path : null,
    caption: sanitizeLedgerText(caption, MAX_LEDGER_CHARS.caption),
    entryId: isLedgerEntryId(entryId) ? entryId : ledgerEntryId,
  };
}

function sanitizeLedgerText(text: unknown, maxChars: number): string | null {
  return (typeof text === "string" && sanitizeLine(text, maxChars)) || null;
}

const isLedgerPath = (path: unknown): path is string =>
  typeof path === "string" && /\S/.test(path) && path.length <= MAX_LEDGER_CHARS.path;
const isLedgerEntryId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= MAX_LEDGER_CHARS.id;
const toCount = (count: unknown): number =>
  Number.isSafeInteger(count) ? Math.min(Math.max(Number(count), 0), MAX_FILE_COUNT) : 0;
const toExitCode = (code: unknown): number | null => (Number.isSafeInteger(code) ? Number(code) : null);
