/** Reads and writes the index tables: which entries contain which words, and where their lines are. The text itself is not stored. */

import { type Database, prepareStatement } from "./database.ts";
import { HIT_KINDS, type HitKind } from "./searchable-text.ts";

/** A part of the word index, a row of the table `volume`. Segments are searched newest first, so a frequent word needs only one. */
export interface IndexSegment {
  readonly id: number;
  /** The id of its first entry. */
  readonly first: number;
  /** The number of characters; the column keeps its old name. */
  readonly letters: number;
  /** The time of its newest entry, in milliseconds since 1970. */
  readonly newest: number;
  /** 1 if it is full and merged. */
  readonly sealed: 0 | 1;
}

/** Reads all segments, newest first. */
function readSegments(database: Database): readonly IndexSegment[] {
  const rows = prepareStatement(
    database,
    "SELECT id, first, letters, newest, sealed FROM volume ORDER BY id DESC",
  ).all();
  return rows as unknown as readonly IndexSegment[];
}

/** Returns the segment for new entries; creates one if the last is full. */
function openSegment(
  database: Database,
  { first, maxChars }: { readonly first: number; readonly maxChars: number },
): IndexSegment {
  const [last] = readSegments(database);
  if (last && last.sealed === 0 && last.letters < maxChars) return last;
  const segment: IndexSegment = { id: (last?.id ?? 0) + 1, first, letters: 0, newest: 0, sealed: 0 };
  const table = segmentTable(segment);
  // No text is stored. Every non-ASCII character counts as a part of a word; query.ts has removed the others.
  database.exec(
    `CREATE VIRTUAL TABLE ${table} USING fts5(words, tokenize = 'ascii', content = '', contentless_delete = 1)`,
  );
  // Automatic merges are off: merging runs in our own small steps, so that no write takes long.
  for (const [option, value] of [
    ["automerge", 0],
    ["crisismerge", 1000],
  ] as const)
    runFtsCommand(database, table, [option, value]);
  prepareStatement(database, "INSERT INTO volume VALUES (?, ?, 0, 0, 0)").run(segment.id, first);
  return segment;
}

function segmentTable({ id }: Pick<IndexSegment, "id">): string {
  return `words_${id}`;
}

/** Merges each full segment into one b-tree, so that a word is looked up once in it. Each iteration is a small step. */
export function* mergeFullSegments(database: Database, maxChars: number): Generator<undefined> {
  for (const segment of readSegments(database)) {
    if (segment.sealed === 1 || segment.letters < maxChars) continue;
    yield* mergeSegment(database, segment, "all");
    prepareStatement(database, "UPDATE volume SET sealed = 1 WHERE id = ?").run(segment.id);
  }
}

/** Merges some of the small b-trees that many additions leave in the last segment. */
export function* mergeLastSegment(database: Database): Generator<undefined> {
  const [last] = readSegments(database);
  if (last?.sealed === 0) yield* mergeSegment(database, last, "some");
}

/** Drops segments without entries. */
export function dropEmptySegments(database: Database): void {
  let end = Number.MAX_SAFE_INTEGER;
  for (const segment of readSegments(database)) {
    const { first, id } = segment;
    const remaining = prepareStatement(database, "SELECT 1 FROM entry WHERE id >= ? AND id < ? LIMIT 1").get(
      first,
      end,
    );
    end = first;
    if (remaining) continue;
    database.exec(`DROP TABLE ${segmentTable(segment)}`);
    prepareStatement(database, "DELETE FROM volume WHERE id = ?").run(id);
  }
}

function* mergeSegment(database: Database, segment: IndexSegment, pieces: "all" | "some"): Generator<undefined> {
  const changes = prepareStatement(database, "SELECT total_changes() AS count");
  for (let step = 0; step < MAX_MERGE_STEPS; step++) {
    const before = Number(changes.get()?.count);
    // A negative number starts a merge of everything; positive numbers continue it.
    runFtsCommand(database, segmentTable(segment), [
      "merge",
      pieces === "all" && step === 0 ? -MERGE_STEP_PAGES : MERGE_STEP_PAGES,
    ]);
    // The command itself counts as one change, so fewer than two means that nothing was merged.
    if (Number(changes.get()?.count) - before < 2) return;
    yield;
  }
}

function runFtsCommand(database: Database, table: string, [name, value]: readonly [name: string, value: number]): void {
  // Not bound as a parameter: JavaScript numbers are bound as floats, which FTS5 rejects here.
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`);
}

/** Takes a few milliseconds. */
const MERGE_STEP_PAGES = 16;
const MAX_MERGE_STEPS = 100_000;

export interface IndexEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The offset of its line. */
  readonly offset: number;
  readonly length: number;
  readonly kind: HitKind;
  /** The length of its text. */
  readonly chars: number;
}

export interface SearchCandidate extends IndexEntry {
  /** Increases with every added entry. */
  readonly id: number;
  readonly file: number;
}

export interface NewIndexEntry extends IndexEntry {
  readonly indexText: string;
}

/** Adds entries of a file to the index; `maxChars` is the size of a segment. */
export function addIndexEntries(
  database: Database,
  entries: readonly NewIndexEntry[],
  { file, maxChars }: { readonly file: number; readonly maxChars: number },
): void {
  if (entries.length === 0) return;
  let id = lastEntryId(database);
  const segment = openSegment(database, { first: id + 1, maxChars });
  const insertEntry = prepareStatement(database, "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)");
  const insertText = prepareStatement(database, `INSERT INTO ${segmentTable(segment)} (rowid, words) VALUES (?, ?)`);
  let { letters: segmentChars, newest } = segment;
  for (const { time, offset, length, kind, chars: entryChars, indexText } of entries) {
    id++;
    insertEntry.run(id, time, file, offset, length, HIT_KINDS.indexOf(kind), entryChars);
    insertText.run(id, indexText);
    segmentChars += indexText.length;
    newest = Math.max(newest, time);
  }
  prepareStatement(database, "UPDATE volume SET letters = ?, newest = ? WHERE id = ?").run(
    segmentChars,
    newest,
    segment.id,
  );
}

/** Deletes up to `limit` entries of a file, and the file with the last of them. Returns whether more are left. */
export function deleteEntries(database: Database, file: number, limit: number): boolean {
  const rows = prepareStatement(database, "SELECT id FROM entry WHERE file = ? LIMIT ?").all(file, limit);
  const segments = readSegments(database);
  for (const id of rows.map((row) => Number(row.id))) {
    const segment = segments.find(({ first }) => first <= id);
    if (segment) prepareStatement(database, `DELETE FROM ${segmentTable(segment)} WHERE rowid = ?`).run(id);
    prepareStatement(database, "DELETE FROM entry WHERE id = ?").run(id);
  }
  if (rows.length === limit) return true;
  prepareStatement(database, "DELETE FROM file WHERE id = ?").run(file);
  return false;
}

export interface EntryCriteria {
  /** An FTS5 expression. */
  readonly match: string;
  /** A faster expression that matches wherever `match` does; null if there is none. */
  readonly prefilter: string | null;
  /** Whether few matches per segment are expected. */
  readonly isRare: boolean;
  readonly since: number;
  readonly limit: number;
}

/** Finds entries that match, the last added first. */
export function findMatchingEntries(database: Database, criteria: EntryCriteria): readonly SearchCandidate[] {
  const candidates: SearchCandidate[] = [];
  for (const segment of readSegments(database)) {
    if (segment.newest < criteria.since) continue;
    candidates.push(
      ...findNewestInTable(database, segmentTable(segment), { ...criteria, limit: criteria.limit - candidates.length }),
    );
    if (candidates.length >= criteria.limit) break;
  }
  return candidates;
}

// Ascending order is twice as fast if all matches are read anyway; descending order can stop early.
function findNewestInTable(database: Database, table: string, criteria: EntryCriteria): readonly SearchCandidate[] {
  if (criteria.prefilter !== null && !hasMatch(database, table, criteria.prefilter)) return [];
  const candidates = criteria.isRare
    ? queryCandidates(database, table, { ...criteria, order: "ASC", limit: criteria.limit + 1 })
    : null;
  if (candidates && candidates.length <= criteria.limit) return candidates.reverse();
  return queryCandidates(database, table, { ...criteria, order: "DESC" });
}

function hasMatch(database: Database, table: string, match: string): boolean {
  return prepareStatement(database, `SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`).get(match) !== undefined;
}

function queryCandidates(
  database: Database,
  table: string,
  { match, since, limit, order }: EntryCriteria & { readonly order: "ASC" | "DESC" },
): SearchCandidate[] {
  const statement = prepareStatement(
    database,
    `SELECT entry.id, file, time, at, length, kind, letters FROM ${table} AS words
    JOIN entry ON entry.id = words.rowid WHERE ${table} MATCH ? AND time >= ? ORDER BY words.rowid ${order} LIMIT ?`,
  );
  // Rows as arrays are twice as fast; older Node versions do not support them.
  statement.setReturnArrays?.(true);
  const rows = statement.all(match, since, limit);
  return rows.map((row) => toCandidate((Array.isArray(row) ? row : Object.values(row)) as readonly number[]));
}

/** The ids of matches, the last added first. */
export function findNewestIds(database: Database, match: string, limit: number): readonly number[] {
  const ids: number[] = [];
  for (const segment of readSegments(database)) {
    if (ids.length >= limit) break;
    const table = segmentTable(segment);
    const sql = `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ?`;
    for (const { id } of prepareStatement(database, sql).all(match, limit - ids.length)) ids.push(Number(id));
  }
  return ids;
}

/** Reads entries of the index by their ids. */
export function readCandidates(database: Database, ids: readonly number[]): readonly SearchCandidate[] {
  const statement = prepareStatement(
    database,
    "SELECT id, file, time, at, length, kind, letters FROM entry WHERE id = ?",
  );
  return ids.flatMap((id) => {
    const row = statement.get(id);
    return row ? [toCandidate(Object.values(row) as readonly number[])] : [];
  });
}

/** The id of the last indexed entry; 0 if there is none. */
export function lastEntryId(database: Database): number {
  return Number(prepareStatement(database, "SELECT max(id) AS last FROM entry").get()?.last ?? 0);
}

/** The ids of all matches from `minId` on. */
export function findMatchingIds(database: Database, match: string, minId: number): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const segment of readSegments(database)) {
    const sql = `SELECT rowid AS id FROM ${segmentTable(segment)} WHERE ${segmentTable(segment)} MATCH ? AND rowid >= ?`;
    for (const { id } of prepareStatement(database, sql).all(match, minId)) ids.add(Number(id));
    if (segment.first <= minId) break;
  }
  return ids;
}

/** The line with the latest name of a session; null if it has none. */
export function findNameLine(database: Database, file: number): Pick<IndexEntry, "offset" | "length"> | null {
  const sql = "SELECT at, length FROM entry WHERE file = ? AND kind = ? ORDER BY id DESC LIMIT 1";
  const row = prepareStatement(database, sql).get(file, HIT_KINDS.indexOf("session_info"));
  return row ? { offset: Number(row.at), length: Number(row.length) } : null;
}

function toCandidate([
  id = 0,
  file = 0,
  time = 0,
  offset = 0,
  length = 0,
  kind = 0,
  chars = 0,
]: readonly number[]): SearchCandidate {
  return { id, file, time, offset, length, kind: HIT_KINDS[kind] ?? "custom", chars };
}

/** An indexed file, with its state when it was read. */
export interface FileRecord {
  readonly id: number;
  readonly folder: number;
  readonly name: string;
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  /** The number of bytes in the index; -1 if the file must be removed and indexed again. */
  readonly covered: number;
  /** The number of its indexed entries. */
  readonly entries: number;
  /** Checksums of the first and the last indexed bytes. */
  readonly head: number;
  readonly tail: number;
}

export interface FolderRecord {
  readonly id: number;
  readonly path: string;
  /** A fingerprint of its files; empty while some of them are not in the index. */
  readonly state: string;
}

/** Reads all indexed folders by path. */
export function readFolders(database: Database): ReadonlyMap<string, FolderRecord> {
  const rows = prepareStatement(
    database,
    "SELECT id, path, state FROM folder",
  ).all() as unknown as readonly FolderRecord[];
  return new Map(rows.map((folder) => [folder.path, folder]));
}

/**
 * Marks a folder as incomplete and returns its id; adds it if it is new. Upserts are avoided here and below: FTS5 flushes its buffered words
 * before a statement that may be rolled back, and many small b-trees are slower than one large one.
 */
export function beginFolderUpdate(database: Database, path: string): number {
  const row = prepareStatement(database, "SELECT id FROM folder WHERE path = ?").get(path);
  if (!row)
    return Number(
      prepareStatement(database, "INSERT INTO folder (path, state) VALUES (?, '')").run(path).lastInsertRowid,
    );
  prepareStatement(database, "UPDATE folder SET state = '' WHERE id = ?").run(Number(row.id));
  return Number(row.id);
}

/** Marks a folder as complete; a folder without files is removed. */
export function finishFolderUpdate(database: Database, path: string, state: string): void {
  prepareStatement(database, "UPDATE folder SET state = ? WHERE path = ?").run(state, path);
  prepareStatement(database, "DELETE FROM folder WHERE path = ? AND id NOT IN (SELECT folder FROM file)").run(path);
}

export function readFolderFiles(database: Database, folder: number): readonly FileRecord[] {
  return prepareStatement(database, "SELECT * FROM file WHERE folder = ?").all(
    folder,
  ) as unknown as readonly FileRecord[];
}

/** The record of an indexed file; undefined if it is not in the index. */
export function findFileRecord(database: Database, { folder, name }: FileLocation): FileRecord | undefined {
  const sql = "SELECT file.* FROM file JOIN folder ON folder.id = file.folder WHERE folder.path = ? AND file.name = ?";
  return prepareStatement(database, sql).get(folder, name) as unknown as FileRecord | undefined;
}

export interface FileLocation {
  readonly folder: string;
  readonly name: string;
}

/** The path of an indexed file; null if it was removed from the index meanwhile. */
export function findFileLocation(database: Database, file: number): FileLocation | null {
  const sql = `SELECT folder.path AS folder, file.name AS name FROM file JOIN folder ON folder.id = file.folder
    WHERE file.id = ?`;
  const row = prepareStatement(database, sql).get(file);
  return row ? { folder: String(row.folder), name: String(row.name) } : null;
}

/** Adds a new file and returns its id. */
export function insertFile(database: Database, { folder, name }: Pick<FileRecord, "folder" | "name">): number {
  const sql =
    "INSERT INTO file (folder, name, identity, size, modified, covered, entries, head, tail) VALUES (?, ?, '', -1, 0, 0, 0, 0, 0)";
  return Number(prepareStatement(database, sql).run(folder, name).lastInsertRowid);
}

/** Records how far a file is indexed, and its state. */
export function updateFile(database: Database, file: Omit<FileRecord, "folder" | "name">): void {
  const { id, identity, size, modified, covered, entries, head, tail } = file;
  const sql =
    "UPDATE file SET identity = ?, size = ?, modified = ?, covered = ?, entries = ?, head = ?, tail = ? WHERE id = ?";
  prepareStatement(database, sql).run(identity, size, modified, covered, entries, head, tail, id);
}

/** Makes the next update remove the file and index it again. */
export function markForReindex(database: Database, file: number): void {
  prepareStatement(database, "UPDATE file SET covered = -1 WHERE id = ?").run(file);
  prepareStatement(database, "UPDATE folder SET state = '' WHERE id = (SELECT folder FROM file WHERE id = ?)").run(
    file,
  );
}
