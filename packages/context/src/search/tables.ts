/** Reads and writes the index tables: which entries hold which words, and where they stand. The text itself is not stored. */

import { type Database, prepared } from "./database.ts";
import { HIT_KINDS, type HitKind } from "./searchable-text.ts";

/** A part of the word index. Volumes are read from the newest back, so a frequent word is found in the first one. */
export interface Volume {
  readonly id: number;
  /** The first entry in it. */
  readonly first: number;
  readonly letters: number;
  /** When the newest entry in it was written, in milliseconds since 1970. */
  readonly newest: number;
  /** 1 where nothing is added any more and all of it is one piece. */
  readonly sealed: 0 | 1;
}

/** Newest first. */
export function volumesIn(database: Database): readonly Volume[] {
  const rows = prepared(database, "SELECT id, first, letters, newest, sealed FROM volume ORDER BY id DESC").all();
  return rows as unknown as readonly Volume[];
}

/** Where words go; a new one where there is none yet, or the last is full. */
export function openVolume(
  database: Database,
  { first, most }: { readonly first: number; readonly most: number },
): Volume {
  const [last] = volumesIn(database);
  if (last && last.sealed === 0 && last.letters < most) return last;
  const volume: Volume = { id: (last?.id ?? 0) + 1, first, letters: 0, newest: 0, sealed: 0 };
  const table = tableOf(volume);
  // It holds no text, and every sign beyond ASCII belongs to a word: which do is settled before.
  database.exec(
    `CREATE VIRTUAL TABLE ${table} USING fts5(words, tokenize = 'ascii', content = '', contentless_delete = 1)`,
  );
  // Merging is done in small steps of our own, so that nobody waits for a big one.
  for (const [option, value] of [
    ["automerge", 0],
    ["crisismerge", 1000],
  ] as const)
    command(database, table, [option, value]);
  prepared(database, "INSERT INTO volume VALUES (?, ?, 0, 0, 0)").run(volume.id, first);
  return volume;
}

export function tableOf({ id }: Pick<Volume, "id">): string {
  return `words_${id}`;
}

/** Makes one piece of each volume that is full, a small step each time it is resumed: then a word is looked up once in it. */
export function* sealed(database: Database, most: number): Generator<undefined> {
  for (const volume of volumesIn(database)) {
    if (volume.sealed === 1 || volume.letters < most) continue;
    yield* merged(database, volume, "all");
    prepared(database, "UPDATE volume SET sealed = 1 WHERE id = ?").run(volume.id);
  }
}

/** Puts some of the pieces together that many small additions have left in the last volume. */
export function* tidied(database: Database): Generator<undefined> {
  const [last] = volumesIn(database);
  if (last?.sealed === 0) yield* merged(database, last, "some");
}

/** Away with a volume of which nothing is left. */
export function dropEmptied(database: Database): void {
  let end = Number.MAX_SAFE_INTEGER;
  for (const volume of volumesIn(database)) {
    const { first, id } = volume;
    const left = prepared(database, "SELECT 1 FROM entry WHERE id >= ? AND id < ? LIMIT 1").get(first, end);
    end = first;
    if (left) continue;
    database.exec(`DROP TABLE ${tableOf(volume)}`);
    prepared(database, "DELETE FROM volume WHERE id = ?").run(id);
  }
}

function* merged(database: Database, volume: Volume, pieces: "all" | "some"): Generator<undefined> {
  const changes = prepared(database, "SELECT total_changes() AS count");
  for (let step = 0; step < MOST_STEPS; step++) {
    const before = Number(changes.get()?.count);
    // A negative number begins to make one piece of all; positive ones go on with what was begun.
    command(database, tableOf(volume), ["merge", pieces === "all" && step === 0 ? -STEP_PAGES : STEP_PAGES]);
    // The command itself counts as one change.
    if (Number(changes.get()?.count) - before < 2) return;
    yield;
  }
}

function command(database: Database, table: string, [name, value]: readonly [name: string, value: number]): void {
  // Not bound: numbers from here would arrive as fractions, which are refused.
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`);
}

/** A few milliseconds. */
const STEP_PAGES = 16;
const MOST_STEPS = 100_000;

export interface Located {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Where its line begins. */
  readonly at: number;
  readonly length: number;
  readonly kind: HitKind;
  /** How long its text is. */
  readonly letters: number;
}

export interface Candidate extends Located {
  /** Grows with every entry that is added. */
  readonly id: number;
  readonly file: number;
}

export interface Addition extends Located {
  readonly words: string;
}

/** `most`: letters that a volume takes. */
export function addEntries(
  database: Database,
  additions: readonly Addition[],
  { file, most }: { readonly file: number; readonly most: number },
): void {
  if (additions.length === 0) return;
  let id = Number(prepared(database, "SELECT max(id) AS last FROM entry").get()?.last ?? 0);
  const volume = openVolume(database, { first: id + 1, most });
  const place = prepared(database, "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)");
  const put = prepared(database, `INSERT INTO ${tableOf(volume)} (rowid, words) VALUES (?, ?)`);
  let { letters, newest } = volume;
  for (const { time, at, length, kind, letters: own, words } of additions) {
    id++;
    place.run(id, time, file, at, length, HIT_KINDS.indexOf(kind), own);
    put.run(id, words);
    letters += words.length;
    newest = Math.max(newest, time);
  }
  prepared(database, "UPDATE volume SET letters = ?, newest = ? WHERE id = ?").run(letters, newest, volume.id);
}

/** Forgets some entries of a file, and the file itself with the last of them; returns whether there are more. */
export function forgetEntries(database: Database, file: number, most: number): boolean {
  const rows = prepared(database, "SELECT id FROM entry WHERE file = ? LIMIT ?").all(file, most);
  const volumes = volumesIn(database);
  for (const id of rows.map((row) => Number(row.id))) {
    const volume = volumes.find(({ first }) => first <= id);
    if (volume) prepared(database, `DELETE FROM ${tableOf(volume)} WHERE rowid = ?`).run(id);
    prepared(database, "DELETE FROM entry WHERE id = ?").run(id);
  }
  if (rows.length === most) return true;
  prepared(database, "DELETE FROM file WHERE id = ?").run(file);
  return false;
}

export interface Wanted {
  /** In the language of the index. */
  readonly match: string;
  /** What is quicker to look for, and stands wherever that does. */
  readonly gist: string | null;
  /** Whether to expect but a few in each volume. */
  readonly seldom: boolean;
  readonly since: number;
  readonly most: number;
}

/** Last added first. */
export function findEntries(database: Database, wanted: Wanted): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const volume of volumesIn(database)) {
    if (volume.newest < wanted.since) continue;
    found.push(...newestIn(database, tableOf(volume), { ...wanted, most: wanted.most - found.length }));
    if (found.length >= wanted.most) break;
  }
  return found;
}

// Forwards is twice as fast as backwards where all has to be looked at anyway; backwards can stop.
function newestIn(database: Database, table: string, wanted: Wanted): readonly Candidate[] {
  if (wanted.gist !== null && !hasAny(database, table, wanted.gist)) return [];
  const all = wanted.seldom ? candidatesIn(database, table, { ...wanted, order: "ASC", most: wanted.most + 1 }) : null;
  if (all && all.length <= wanted.most) return all.reverse();
  return candidatesIn(database, table, { ...wanted, order: "DESC" });
}

function hasAny(database: Database, table: string, match: string): boolean {
  return prepared(database, `SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`).get(match) !== undefined;
}

function candidatesIn(
  database: Database,
  table: string,
  { match, since, most, order }: Wanted & { readonly order: "ASC" | "DESC" },
): Candidate[] {
  const statement = prepared(
    database,
    `SELECT entry.id, file, time, at, length, kind, letters FROM ${table} AS words
    JOIN entry ON entry.id = words.rowid WHERE ${table} MATCH ? AND time >= ? ORDER BY words.rowid ${order} LIMIT ?`,
  );
  // Thousands of rows: as lists they come twice as fast, where Node has them.
  statement.setReturnArrays?.(true);
  const rows = statement.all(match, since, most);
  return rows.map((row) => candidate((Array.isArray(row) ? row : Object.values(row)) as readonly number[]));
}

/** Those that match, of all that were added with this one or after it. */
export function idsFrom(database: Database, match: string, least: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const volume of volumesIn(database)) {
    const sql = `SELECT rowid AS id FROM ${tableOf(volume)} WHERE ${tableOf(volume)} MATCH ? AND rowid >= ?`;
    for (const { id } of prepared(database, sql).all(match, least)) found.add(Number(id));
    if (volume.first <= least) break;
  }
  return found;
}

/** Where the session was last named; null where it never was. */
export function nameLine(database: Database, file: number): Pick<Located, "at" | "length"> | null {
  const sql = "SELECT at, length FROM entry WHERE file = ? AND kind = ? ORDER BY id DESC LIMIT 1";
  const row = prepared(database, sql).get(file, HIT_KINDS.indexOf("session_info"));
  return row ? { at: Number(row.at), length: Number(row.length) } : null;
}

function candidate([
  id = 0,
  file = 0,
  time = 0,
  at = 0,
  length = 0,
  kind = 0,
  letters = 0,
]: readonly number[]): Candidate {
  return { id, file, time, at, length, kind: HIT_KINDS[kind] ?? "custom", letters };
}

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

/**
 * Here and below nothing is said in one statement that might be undone halfway (upserts): before such a one, the words that were gathered
 * so far are written, and a thousand small pieces cost more than one big. The number of a folder in which something is about to change.
 */
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
