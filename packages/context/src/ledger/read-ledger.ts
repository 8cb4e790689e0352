/** Reads and validates the ledger in a compaction or branch summary. It comes from a file, so nothing in it is trusted. */

import { isObject, type JsonObject } from "../format/read-line.ts";
import { plainText } from "../text/sanitize.ts";
import {
  emptyLedger,
  LETTERS,
  type Ledger,
  type LedgerCommand,
  type LedgerFile,
  type LedgerFolder,
  type LedgerImage,
  type LedgerLine,
  type LedgerReference,
  MOST_COUNTED,
  mergedInOrder,
} from "./ledger.ts";
import { carriedFiles } from "./touched-files.ts";

/** From `details.pith.ledger`, or else from pi's lists of files; null without either. `entryId` is who carries it: the lists name nobody. */
export function ledgerIn(details: unknown, entryId = ""): Ledger | null {
  const kept = keptIn(details);
  if (kept) return mergedInOrder([cleaned(kept, entryId)]);
  if (!isObject(details) || !(Array.isArray(details.readFiles) || Array.isArray(details.modifiedFiles))) return null;
  return mergedInOrder([{ ...emptyLedger, files: carriedFiles(details).map((touch) => ({ ...touch, entryId })) }]);
}

/** Whether there is one of ours. */
export function carriesLedger(details: unknown): boolean {
  return keptIn(details) !== null;
}

function keptIn(details: unknown): JsonObject | null {
  const pith = isObject(details) ? details.pith : null;
  return isObject(pith) && isObject(pith.ledger) ? pith.ledger : null;
}

function cleaned(kept: JsonObject, carrier: string): Ledger {
  const items = <Item>(list: unknown, read: Reading<Item>): readonly Item[] =>
    objectsIn(list).flatMap((item) => read(item, isId(item.entryId) ? item.entryId : carrier) ?? []);
  return {
    files: items(kept.files, file),
    folders: items(kept.folders, folder),
    commands: items(kept.commands, command),
    errors: items(kept.errors, line),
    lines: items(kept.lines, line),
    references: items(kept.references, reference),
    images: items(kept.images, image),
  };
}

/** Null for what is no such item. */
type Reading<Item> = (item: JsonObject, entryId: string) => Item | null;

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.slice(-MOST_READ).filter(isObject) : [];
}

/** More than any list may hold. */
const MOST_READ = 1_000;

const file: Reading<LedgerFile> = ({ path, did }, entryId) =>
  isPath(path) && (did === "read" || did === "modified") ? { path, did, entryId } : null;

const folder: Reading<LedgerFolder> = ({ folder: name, read, modified }) =>
  isPath(name) ? { folder: name, read: countOf(read), modified: countOf(modified) } : null;

const command: Reading<LedgerCommand> = ({ command: said, exitCode }, entryId) => {
  const text = cleanText(said, LETTERS.command);
  const code = Number.isSafeInteger(exitCode) ? Number(exitCode) : null;
  return text === null ? null : { command: text, exitCode: code, entryId };
};

const line: Reading<LedgerLine> = ({ text: said }, entryId) => {
  const text = cleanText(said, LETTERS.line);
  return text === null ? null : { text, entryId };
};

const reference: Reading<LedgerReference> = ({ kind, text: said }, entryId) => {
  const text = cleanText(said, LETTERS.reference);
  return text !== null && (kind === "url" || kind === "commit" || kind === "id") ? { kind, text, entryId } : null;
};

const image: Reading<LedgerImage> = ({ handle, size, path, caption }, entryId) => {
  if (typeof handle !== "string" || !/^(?:blob|entry):.{1,100}$/s.test(handle)) return null;
  const measured = typeof size === "string" && /^\d{1,10}x\d{1,10}$/.test(size) ? size : null;
  return {
    handle,
    size: measured,
    path: isPath(path) ? path : null,
    caption: cleanText(caption, LETTERS.caption),
    entryId,
  };
};

function cleanText(text: unknown, letters: number): string | null {
  return (typeof text === "string" && plainText(text, letters)) || null;
}

const isPath = (path: unknown): path is string =>
  typeof path === "string" && /\S/.test(path) && path.length <= LETTERS.path;
const isId = (id: unknown): id is string => typeof id === "string" && id !== "" && id.length <= LETTERS.id;
const countOf = (count: unknown): number =>
  Number.isSafeInteger(count) ? Math.min(Math.max(Number(count), 0), MOST_COUNTED) : 0;
