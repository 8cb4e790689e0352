/** Which entries have which words, and where they stand in their files. Their text is not kept. */

import { HIT_KINDS, type HitKind } from "../indexing/searchable.ts";
import { type Database, prepared } from "./sqlite.ts";
import { openVolume, tableOf, volumesIn } from "./volumes.ts";

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
