/** Opens the SQLite file of the search index, which only its owner may read. It is a cache: an unusable file is recreated. */

import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { diskErrorCode, type Files } from "../node/files.ts";

export type Database = DatabaseSync;

/** Opens a database. Loads `node:sqlite` on first use, and hides its warning in Node versions where it is experimental. */
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

/** Prepares a statement once per open database: one search runs the same statements many times. */
export function prepareStatement(database: Database, sql: string): StatementSync {
  const statements = STATEMENT_CACHE.get(database) ?? new Map<string, StatementSync>();
  STATEMENT_CACHE.set(database, statements);
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

const STATEMENT_CACHE = new WeakMap<Database, Map<string, StatementSync>>();

/** Runs reads in one transaction, so that they see one state while another process writes. */
export function readInTransaction<Value>(database: Database, read: () => Value): Value {
  database.exec("BEGIN");
  try {
    return read();
  } finally {
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** The kinds of SQLite errors that are handled differently. */
export type DatabaseFault = "broken" | "busy" | "full" | "refused";

/** The kind of a SQLite error; null for any other error. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return null;
  // The low byte is the primary code; the others are the extended code.
  return FAULTS_BY_CODE.get(errcode & 0xff) ?? "refused";
}

/** How long a writer waits for another one. */
const BUSY_TIMEOUT_MS = 2_000;

// 1: a table is missing or has other columns; 11: damaged pages; 26: not a database. 5 and 6: locked; 13: disk full.
const FAULTS_BY_CODE: ReadonlyMap<number, DatabaseFault> = new Map([
  [1, "broken"],
  [11, "broken"],
  [26, "broken"],
  [5, "busy"],
  [6, "busy"],
  [13, "full"],
]);

/** Opens the index; creates or recreates it if needed. */
function openSearchIndex(path: string, files: Files): Database {
  const database = tryOpenIndex(path, files);
  if (database) return database;
  deleteIndex(path, files);
  const newDatabase = tryOpenIndex(path, files);
  if (!newDatabase) throw new Error(`${path} was just created, but cannot be opened as a search index`);
  return newDatabase;
}

/** Deletes the index. Its WAL files go first: left behind, SQLite would apply them to the next database. */
export function deleteIndex(path: string, files: Files): void {
  for (const filePath of [`${path}-shm`, `${path}-wal`, path])
    try {
      files.remove(filePath);
    } catch (error) {
      if (diskErrorCode(error) !== "ENOENT") throw error;
    }
}

/** Null if the file is broken, of another version, or not ours. */
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

// SQLite would create a file that other users can read.
function createIndexFile(path: string, files: Files): void {
  if (files.stat(path)) return;
  files.makeFolder(dirname(path));
  try {
    files.create(path).close();
  } catch (error) {
    // Another process created it first.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

/** Whether the database is an index of this version. */
function isCurrentIndex(database: Database): boolean {
  return (
    readPragma(database, "application_id") === APPLICATION_ID && readPragma(database, "user_version") === SCHEMA_VERSION
  );
}

/** Checks for tables, not for the file size: switching to WAL writes the first page before another process creates the tables. */
function isEmptyDatabase(database: Database): boolean {
  if (readPragma(database, "application_id") !== 0) return false;
  return database.prepare("SELECT name FROM sqlite_master LIMIT 1").get() === undefined;
}

function createTables(database: Database): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  // Checked again under the lock: another process may have created the tables meanwhile.
  if (readPragma(database, "application_id") === 0) database.exec(INDEX_SCHEMA);
  database.exec("COMMIT");
}

function readPragma(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

const APPLICATION_ID = 0x50495448;
const SCHEMA_VERSION = 3;
const INDEX_SCHEMA = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
CREATE TABLE folder (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, state TEXT NOT NULL);
CREATE TABLE file (
  id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL, identity TEXT NOT NULL, size INTEGER NOT NULL,
  modified REAL NOT NULL, covered INTEGER NOT NULL, entries INTEGER NOT NULL, head INTEGER NOT NULL, tail INTEGER NOT NULL, UNIQUE (folder, name)
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
 * Runs an operation on the index. The database stays open for a moment afterwards, because another search often follows. Concurrent
 * searches open it separately.
 */
export async function withDatabase<Value>(
  path: string,
  files: Files,
  operation: (database: Database) => Promise<Value>,
): Promise<Value> {
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
  /** The identity of the opened file, to detect that it was replaced. */
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
    // Opening it again reports the error.
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

// Closes the databases at exit; otherwise the WAL files stay until the next search.
let hasExitHook = false;
function registerExitHook(): void {
  if (hasExitHook) return;
  hasExitHook = true;
  process.on("exit", () => [...IDLE_HANDLES.keys()].forEach(closeIdleHandle));
}

const IDLE_HANDLES = new Map<string, DatabaseHandle & { readonly timer: NodeJS.Timeout }>();
const IDLE_TIMEOUT_MS = 3_000;
