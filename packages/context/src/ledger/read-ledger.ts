/** Reads and validates the ledger in a compaction or branch summary. It comes from a file, so nothing in it is trusted. */

import { isObject, type JsonObject } from "../format/read-line.ts";
import { blobReference } from "../references.ts";
import { plainText } from "../text/sanitize.ts";
import { findChecks } from "./check-command.ts";
import {
  emptyLedger,
  LETTERS,
  type Ledger,
  type LedgerCheck,
  type LedgerCommit,
  type LedgerError,
  type LedgerFile,
  type LedgerFolder,
  type LedgerImage,
  MOST_COUNTED,
  mergedInOrder,
} from "./ledger.ts";
import { carriedFiles } from "./touched-files.ts";

/** From `details.pith.ledger`, or else from pi's lists of files; null without either. `entryId` is the entry that carries it. */
export function ledgerIn(details: unknown, entryId = ""): Ledger | null {
  const stored = storedLedger(details);
  if (stored) return mergedInOrder([validLedger(stored, entryId)]);
  if (!isObject(details) || !(Array.isArray(details.readFiles) || Array.isArray(details.modifiedFiles))) return null;
  return mergedInOrder([{ ...emptyLedger, files: carriedFiles(details).map(({ path, did }) => ({ path, did })) }]);
}

/** Whether there is one of ours. */
export function carriesLedger(details: unknown): boolean {
  return storedLedger(details) !== null;
}

function storedLedger(details: unknown): JsonObject | null {
  const pith = isObject(details) ? details.pith : null;
  return isObject(pith) && isObject(pith.ledger) ? pith.ledger : null;
}

// LED10: earlier versions kept every command, and errors that nothing could close.
function validLedger(stored: JsonObject, carrier: string): Ledger {
  return {
    files: items(stored.files, readFile),
    folders: items(stored.folders, readFolder),
    checks: [...items(stored.commands, readCommand).flat(), ...items(stored.checks, readCheck)],
    errors: items(stored.errors, readError),
    commits: items(stored.commits, readCommit),
    images: items(stored.images, (item) => readImage(item, carrier)),
  };
}

/** Without what is no such item. */
function items<Item>(list: unknown, read: (item: JsonObject) => Item | null): readonly Item[] {
  const objects = Array.isArray(list) ? list.slice(-MOST_READ).filter(isObject) : [];
  return objects.map(read).filter((item) => item !== null);
}

/** More than any list may hold. */
const MOST_READ = 1_000;

function readFile({ path, did }: JsonObject): LedgerFile | null {
  return isPath(path) && (did === "read" || did === "modified") ? { path, did } : null;
}

function readFolder({ folder, read, modified }: JsonObject): LedgerFolder | null {
  return isPath(folder) ? { folder, read: toCount(read), modified: toCount(modified) } : null;
}

function readCommand({ command, exitCode }: JsonObject): readonly LedgerCheck[] {
  const text = cleanText(command, LETTERS.command) ?? "";
  return findChecks(text, toExitCode(exitCode)).map((check) => ({
    ...check,
    command: plainText(check.command, LETTERS.command),
    outcome: null,
  }));
}

function readCheck({ kind, command, exitCode, outcome }: JsonObject): LedgerCheck | null {
  const text = cleanText(command, LETTERS.command);
  if (text === null || !(kind === "test" || kind === "build" || kind === "check")) return null;
  return { kind, command: text, exitCode: toExitCode(exitCode), outcome: cleanText(outcome, LETTERS.outcome) };
}

function readError({ kind, source, text: given }: JsonObject): LedgerError | null {
  const text = cleanText(given, LETTERS.line);
  if (text === null) return null;
  if (kind === "file") return isPath(source) ? { kind, source, text } : null;
  const named = cleanText(source, LETTERS.command);
  return named !== null && (kind === "command" || kind === "tool") ? { kind, source: named, text } : null;
}

function readCommit({ hash, subject: given }: JsonObject): LedgerCommit | null {
  const subject = cleanText(given, LETTERS.subject);
  const isHash = typeof hash === "string" && /^[\da-f]{7,40}$/.test(hash);
  return subject === null ? null : { hash: isHash ? hash : null, subject };
}

function readImage({ handle, size, path, caption, entryId }: JsonObject, carrier: string): LedgerImage | null {
  if (typeof handle !== "string" || !/^(?:(?:blob|entry):.{1,100}|#\d{1,15})$/s.test(handle)) return null;
  return {
    handle: handle.startsWith("blob:") ? blobReference(handle.slice(5)) : handle,
    size: typeof size === "string" && /^\d{1,10}x\d{1,10}$/.test(size) ? size : null,
    path: isPath(path) ? path : null,
    caption: cleanText(caption, LETTERS.caption),
    entryId: isId(entryId) ? entryId : carrier,
  };
}

function cleanText(text: unknown, letters: number): string | null {
  return (typeof text === "string" && plainText(text, letters)) || null;
}

const isPath = (path: unknown): path is string =>
  typeof path === "string" && /\S/.test(path) && path.length <= LETTERS.path;
const isId = (id: unknown): id is string => typeof id === "string" && id !== "" && id.length <= LETTERS.id;
const toCount = (count: unknown): number =>
  Number.isSafeInteger(count) ? Math.min(Math.max(Number(count), 0), MOST_COUNTED) : 0;
const toExitCode = (code: unknown): number | null => (Number.isSafeInteger(code) ? Number(code) : null);
