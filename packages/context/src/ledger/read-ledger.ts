/** Reads and validates the ledger of a compaction or branch summary. It comes from a file, so nothing in it is trusted. */

import { readPithDetails } from "../entry-details.ts";
import { isObject, type JsonObject } from "../json.ts";
import { blobReference } from "../references.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { findChecks } from "./check-command.ts";
import {
  emptyLedger,
  type Ledger,
  type LedgerCheck,
  type LedgerCommit,
  type LedgerError,
  type LedgerFile,
  type LedgerFolder,
  type LedgerImage,
  MAX_FILE_COUNT,
  MAX_LEDGER_CHARS,
  mergeLedgers,
} from "./ledger.ts";
import { readFileLists } from "./touched-files.ts";

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
  return isLedgerPath(path) && (did === "read" || did === "modified") ? { path, did } : null;
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
