/** Which files the index has read, how far, and how to tell whether they are still the same. */

import { type Database, prepared } from "./sqlite.ts";

/** A file as it was when it was read. */
export interface KnownFile {
  readonly id: number;
  readonly folder: number;
  readonly name: string;
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  /** So many bytes are in the index; -1 for a file whose entries are to be forgotten. */
  readonly covered: number;
  /** Checksums of the first and the last of those bytes. */
  readonly head: number;
  readonly tail: number;
}

export interface KnownFolder {
  readonly id: number;
  readonly path: string;
  /** Tells one state of its files from another; empty while not all of them are in the index. */
  readonly state: string;
}

/** By their paths. */
export function folders(database: Database): ReadonlyMap<string, KnownFolder> {
  const rows = prepared(database, "SELECT id, path, state FROM folder").all() as unknown as readonly KnownFolder[];
  return new Map(rows.map((folder) => [folder.path, folder]));
}

// Here and below nothing is said in one statement that might be undone halfway (upserts): before such a one, the words that
// were gathered so far are written, and a thousand small pieces cost more than one big.
/** The number of a folder in which something is about to change. */
export function openFolder(database: Database, path: string): number {
  const row = prepared(database, "SELECT id FROM folder WHERE path = ?").get(path);
  if (!row)
    return Number(prepared(database, "INSERT INTO folder (path, state) VALUES (?, '')").run(path).lastInsertRowid);
  prepared(database, "UPDATE folder SET state = '' WHERE id = ?").run(Number(row.id));
  return Number(row.id);
}

/** All of its files are in the index as they are; a folder without any is forgotten. */
export function closeFolder(database: Database, path: string, state: string): void {
  prepared(database, "UPDATE folder SET state = ? WHERE path = ?").run(state, path);
  prepared(database, "DELETE FROM folder WHERE path = ? AND id NOT IN (SELECT folder FROM file)").run(path);
}

export function filesIn(database: Database, folder: number): readonly KnownFile[] {
  return prepared(database, "SELECT * FROM file WHERE folder = ?").all(folder) as unknown as readonly KnownFile[];
}

export interface Place {
  readonly folder: string;
  readonly name: string;
}

/** Null for a file that was forgotten meanwhile. */
export function placeOf(database: Database, file: number): Place | null {
  const sql = `SELECT folder.path AS folder, file.name AS name FROM file JOIN folder ON folder.id = file.folder
    WHERE file.id = ?`;
  const row = prepared(database, sql).get(file);
  return row ? { folder: String(row.folder), name: String(row.name) } : null;
}

/** Notes a file that was not known before; its number. */
export function addFile(database: Database, { folder, name }: Pick<KnownFile, "folder" | "name">): number {
  const sql =
    "INSERT INTO file (folder, name, identity, size, modified, covered, head, tail) VALUES (?, ?, '', -1, 0, 0, 0, 0)";
  return Number(prepared(database, sql).run(folder, name).lastInsertRowid);
}

/** Notes how far it was read, and what it looks like. */
export function keepFile(database: Database, file: Omit<KnownFile, "folder" | "name">): void {
  const { id, identity, size, modified, covered, head, tail } = file;
  const sql = "UPDATE file SET identity = ?, size = ?, modified = ?, covered = ?, head = ?, tail = ? WHERE id = ?";
  prepared(database, sql).run(identity, size, modified, covered, head, tail, id);
}

/** From the next look on, all of it is forgotten and read anew. */
export function doubt(database: Database, file: number): void {
  prepared(database, "UPDATE file SET covered = -1 WHERE id = ?").run(file);
  prepared(database, "UPDATE folder SET state = '' WHERE id = (SELECT folder FROM file WHERE id = ?)").run(file);
}
