/** The words, in volumes that are read from the newest back: what is asked for often is found in the first, whatever lies behind it. */

import { type Database, prepared } from "./sqlite.ts";

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
