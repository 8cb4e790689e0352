/** Opens the SQLite file of the search index, private to its owner. It is only a cache: one that this version cannot use is recreated. */

import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { diskError, type Files } from "../node/files.ts";

export type Database = DatabaseSync;

/** Loads `node:sqlite` only when needed, without the warning of Node versions that call it experimental. */
export function openDatabase(path: string): Database {
  const { emitWarning } = process;
  process.emitWarning = (...warning: readonly unknown[]) => {
    if (!String(warning[0]).includes("SQLite")) Reflect.apply(emitWarning, process, warning);
  };
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    return new DatabaseSync(path, { timeout: PATIENCE });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A statement, understood once for as long as the database is open: a question asks the same of dozens of tables. */
export function prepared(database: Database, sql: string): StatementSync {
  const kept = STATEMENTS.get(database) ?? new Map<string, StatementSync>();
  STATEMENTS.set(database, kept);
  const statement = kept.get(sql) ?? database.prepare(sql);
  kept.set(sql, statement);
  return statement;
}

const STATEMENTS = new WeakMap<Database, Map<string, StatementSync>>();

/** Everything that is looked at in it is of one moment, whatever another program writes meanwhile. */
export function together<Found>(database: Database, look: () => Found): Found {
  database.exec("BEGIN");
  try {
    return look();
  } finally {
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** What went wrong, as far as it changes what to do next. */
export type DatabaseFault = "broken" | "busy" | "full" | "refused";

/** Null for what SQLite did not say. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return null;
  // The low byte is the kind of the error, the others say more of it.
  return FAULTS.get(errcode & 0xff) ?? "refused";
}

/** Milliseconds that a writer waits for another one. */
const PATIENCE = 2_000;

// A table that is missing or of another shape (1) is as bad as damaged pages (11) and as another file (26): none of it is ours.
const FAULTS: ReadonlyMap<number, DatabaseFault> = new Map([
  [1, "broken"],
  [11, "broken"],
  [26, "broken"],
  [5, "busy"],
  [6, "busy"],
  [13, "full"],
]);

export function openIndex(path: string, files: Files): Database {
  const opened = usable(path, files);
  if (opened) return opened;
  throwAway(path, files);
  const fresh = usable(path, files);
  if (!fresh) throw new Error(`${path} was just made and is no index`);
  return fresh;
}

/** What else belongs to it goes first: left behind, it would be taken for a part of the next one. */
export function throwAway(path: string, files: Files): void {
  for (const each of [`${path}-shm`, `${path}-wal`, path])
    try {
      files.remove(each);
    } catch (error) {
      if (diskError(error) !== "ENOENT") throw error;
    }
}

/** Null for what is foreign, broken or of another version. */
function usable(path: string, files: Files): Database | null {
  make(path, files);
  if (files.stat(path)?.kind === "other") return null;
  const database = openDatabase(path);
  try {
    if (isEmpty(database)) lay(database);
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA synchronous = NORMAL");
    if (isOurs(database)) return database;
  } catch (error) {
    if (databaseFault(error) !== "broken") {
      database.close();
      throw error;
    }
  }
  database.close();
  return null;
}

// SQLite would make it readable for others.
function make(path: string, files: Files): void {
  if (files.stat(path)) return;
  files.makeFolder(dirname(path));
  try {
    files.create(path).close();
  } catch (error) {
    // Another program made it in this moment.
    if (diskError(error) !== "EEXIST") throw error;
  }
}

/** Whether it is an index of this version. */
export function isOurs(database: Database): boolean {
  return numberOf(database, "application_id") === OURS && numberOf(database, "user_version") === VERSION;
}

/** Also where another program is about to lay the tables: the change to WAL alone gives the file its first page. */
function isEmpty(database: Database): boolean {
  if (numberOf(database, "application_id") !== 0) return false;
  return database.prepare("SELECT name FROM sqlite_master LIMIT 1").get() === undefined;
}

function lay(database: Database): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  // Of two programs that found nothing, the second finds what the first has laid.
  if (numberOf(database, "application_id") === 0) database.exec(SCHEMA);
  database.exec("COMMIT");
}

function numberOf(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

const OURS = 0x50495448;
const VERSION = 1;
const SCHEMA = `
PRAGMA application_id = ${OURS};
PRAGMA user_version = ${VERSION};
CREATE TABLE folder (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, state TEXT NOT NULL);
CREATE TABLE file (
  id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL, identity TEXT NOT NULL, size INTEGER NOT NULL,
  modified REAL NOT NULL, covered INTEGER NOT NULL, head INTEGER NOT NULL, tail INTEGER NOT NULL, UNIQUE (folder, name)
);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, file INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL,
  kind INTEGER NOT NULL, letters INTEGER NOT NULL
);
CREATE INDEX entry_of_file ON entry (file, kind);
CREATE TABLE volume (
  id INTEGER PRIMARY KEY, first INTEGER NOT NULL, letters INTEGER NOT NULL, newest INTEGER NOT NULL, sealed INTEGER NOT NULL
);`;

/**
 * The index stays open for a moment after a search, because another one often follows. Nobody else has it meanwhile; a second search at
 * the same time opens it once more.
 */
export async function withIndex<Made>(
  path: string,
  files: Files,
  act: (database: Database) => Promise<Made>,
): Promise<Made> {
  const held = taken(path, files) ?? opened(path, files);
  try {
    const made = await act(held.database);
    hold(path, held);
    return made;
  } catch (error) {
    held.database.close();
    throw error;
  }
}

interface Held {
  readonly database: Database;
  /** Of the file that was opened; another one may have taken its place. */
  readonly identity: string;
}

function opened(path: string, files: Files): Held {
  const database = openIndex(path, files);
  return { database, identity: files.stat(path)?.identity ?? "" };
}

function taken(path: string, files: Files): Held | null {
  const held = HELD.get(path);
  if (!held) return null;
  HELD.delete(path);
  clearTimeout(held.timer);
  if (files.stat(path)?.identity === held.identity && isStillOurs(held.database)) return held;
  held.database.close();
  return null;
}

function isStillOurs(database: Database): boolean {
  try {
    return isOurs(database);
  } catch (error) {
    // It is opened anew, and that says what is wrong with it.
    if (databaseFault(error) === null) throw error;
    return false;
  }
}

function hold(path: string, held: Held): void {
  if (HELD.has(path)) {
    held.database.close();
    return;
  }
  closeAtExit();
  const timer = setTimeout(() => release(path), HELD_FOR).unref();
  HELD.set(path, { ...held, timer });
}

function release(path: string): void {
  const held = HELD.get(path);
  if (!held) return;
  clearTimeout(held.timer);
  HELD.delete(path);
  held.database.close();
}

// Left open, its log would lie beside it until the next search.
let closesAtExit = false;
function closeAtExit(): void {
  if (closesAtExit) return;
  closesAtExit = true;
  process.on("exit", () => [...HELD.keys()].forEach(release));
}

const HELD = new Map<string, Held & { readonly timer: NodeJS.Timeout }>();
const HELD_FOR = 3_000;
