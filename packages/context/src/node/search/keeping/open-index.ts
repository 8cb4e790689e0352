/** The file of the index: made for its owner alone, and thrown away whenever it is not what this version writes. It is never the truth. */

import { dirname } from "node:path";
import { diskError, type Files } from "../../files/files.ts";
import { type Database, databaseFault, openDatabase } from "./sqlite.ts";

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
    if (numberOf(database, "page_count") === 0) lay(database);
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

function lay(database: Database): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  // Of two programs that found nothing, the second finds what the first has laid.
  if (numberOf(database, "application_id") === 0) database.exec(SCHEMA);
  database.exec("COMMIT");
}

function numberOf(database: Database, name: "page_count" | "application_id" | "user_version"): number {
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
