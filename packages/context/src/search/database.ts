/** Opens the SQLite file of the search index, private to its owner. It is only a cache: one that this version cannot use is recreated. */

import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { diskErrorCode, type Files } from "../node/files.ts";

export type Database = DatabaseSync;

/** Loads `node:sqlite` only when needed, without the warning of Node versions that call it experimental. */
export function openDatabase(path: string): Database {
  const { emitWarning } = process;
  process.emitWarning = (...warning: readonly unknown[]) => {
    if (!String(warning[0]).includes("SQLite")) Reflect.apply(emitWarning, process, warning);
  };
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A statement, understood once for as long as the database is open: a question asks the same of dozens of tables. */
export function prepareStatement(database: Database, sql: string): StatementSync {
  const statements = STATEMENT_CACHE.get(database) ?? new Map<string, StatementSync>();
  STATEMENT_CACHE.set(database, statements);
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

const STATEMENT_CACHE = new WeakMap<Database, Map<string, StatementSync>>();

/** Everything that is looked at in it is of one moment, whatever another program writes meanwhile. */
export function readInTransaction<Found>(database: Database, read: () => Found): Found {
  database.exec("BEGIN");
  try {
    return read();
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
  return FAULTS_BY_CODE.get(errcode & 0xff) ?? "refused";
}

/** Milliseconds that a writer waits for another one. */
const BUSY_TIMEOUT_MS = 2_000;

// A table that is missing or of another shape (1) is as bad as damaged pages (11) and as another file (26): none of it is ours.
const FAULTS_BY_CODE: ReadonlyMap<number, DatabaseFault> = new Map([
  [1, "broken"],
  [11, "broken"],
  [26, "broken"],
  [5, "busy"],
  [6, "busy"],
  [13, "full"],
]);

export function openSearchIndex(path: string, files: Files): Database {
  const database = tryOpenIndex(path, files);
  if (database) return database;
  deleteIndex(path, files);
  const newDatabase = tryOpenIndex(path, files);
  if (!newDatabase) throw new Error(`${path} was just made and is no index`);
  return newDatabase;
}

/** What else belongs to it goes first: left behind, it would be taken for a part of the next one. */
export function deleteIndex(path: string, files: Files): void {
  for (const filePath of [`${path}-shm`, `${path}-wal`, path])
    try {
      files.remove(filePath);
    } catch (error) {
      if (diskErrorCode(error) !== "ENOENT") throw error;
    }
}

/** Null for what is foreign, broken or of another version. */
function tryOpenIndex(path: string, files: Files): Database | null {
  createIndexFile(path, files);
  if (files.stat(path)?.kind === "other") return null;
  const database = openDatabase(path);
  try {
    if (isEmptyDatabase(database)) createTables(database);
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA synchronous = NORMAL");
    if (isCurrentIndex(database)) return database;
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
function createIndexFile(path: string, files: Files): void {
  if (files.stat(path)) return;
  files.makeFolder(dirname(path));
  try {
    files.create(path).close();
  } catch (error) {
    // Another program made it in this moment.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

/** Whether it is an index of this version. */
export function isCurrentIndex(database: Database): boolean {
  return (
    readPragma(database, "application_id") === APPLICATION_ID && readPragma(database, "user_version") === SCHEMA_VERSION
  );
}

/** Also where another program is about to lay the tables: the change to WAL alone gives the file its first page. */
function isEmptyDatabase(database: Database): boolean {
  if (readPragma(database, "application_id") !== 0) return false;
  return database.prepare("SELECT name FROM sqlite_master LIMIT 1").get() === undefined;
}

function createTables(database: Database): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  // Of two programs that found nothing, the second finds what the first has laid.
  if (readPragma(database, "application_id") === 0) database.exec(INDEX_SCHEMA);
  database.exec("COMMIT");
}

function readPragma(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

const APPLICATION_ID = 0x50495448;
const SCHEMA_VERSION = 1;
const INDEX_SCHEMA = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
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
export async function withDatabase<Made>(
  path: string,
  files: Files,
  operation: (database: Database) => Promise<Made>,
): Promise<Made> {
  const handle = takeIdleHandle(path, files) ?? openHandle(path, files);
  try {
    const result = await operation(handle.database);
    cacheHandle(path, handle);
    return result;
  } catch (error) {
    handle.database.close();
    throw error;
  }
}

interface DatabaseHandle {
  readonly database: Database;
  /** Of the file that was opened; another one may have taken its place. */
  readonly identity: string;
}

function openHandle(path: string, files: Files): DatabaseHandle {
  const database = openSearchIndex(path, files);
  return { database, identity: files.stat(path)?.identity ?? "" };
}

function takeIdleHandle(path: string, files: Files): DatabaseHandle | null {
  const handle = IDLE_HANDLES.get(path);
  if (!handle) return null;
  IDLE_HANDLES.delete(path);
  clearTimeout(handle.timer);
  if (files.stat(path)?.identity === handle.identity && isStillCurrentIndex(handle.database)) return handle;
  handle.database.close();
  return null;
}

function isStillCurrentIndex(database: Database): boolean {
  try {
    return isCurrentIndex(database);
  } catch (error) {
    // It is opened anew, and that says what is wrong with it.
    if (databaseFault(error) === null) throw error;
    return false;
  }
}

function cacheHandle(path: string, handle: DatabaseHandle): void {
  if (IDLE_HANDLES.has(path)) {
    handle.database.close();
    return;
  }
  registerExitHook();
  const timer = setTimeout(() => closeIdleHandle(path), IDLE_TIMEOUT_MS).unref();
  IDLE_HANDLES.set(path, { ...handle, timer });
}

function closeIdleHandle(path: string): void {
  const handle = IDLE_HANDLES.get(path);
  if (!handle) return;
  clearTimeout(handle.timer);
  IDLE_HANDLES.delete(path);
  handle.database.close();
}

// Left open, its log would lie beside it until the next search.
let hasExitHook = false;
function registerExitHook(): void {
  if (hasExitHook) return;
  hasExitHook = true;
  process.on("exit", () => [...IDLE_HANDLES.keys()].forEach(closeIdleHandle));
}

const IDLE_HANDLES = new Map<string, DatabaseHandle & { readonly timer: NodeJS.Timeout }>();
const IDLE_TIMEOUT_MS = 3_000;
