/** Copies sessions between files and PostgreSQL. Each entry and each line stays as it is. */

import type { Runtime } from "@pith/context";
import { type Damage, encodeSession, setEntryNumberInLine } from "@pith/context/store";
import type { PoolClient } from "pg";
import { type Database, inTransaction } from "./connect.ts";
import { toStoredText } from "./entry-rows.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { type FileRow, type ReadFileResult, readSessionFile, type SessionFile } from "./read-session-file.ts";
import { checkTenant } from "./sessions.ts";

/** Options of `importSession`. */
export interface ImportOptions {
  readonly runtime: Pick<Runtime, "now" | "sessionId" | "checksum">;
  /** Imports the rest of a damaged file. Default: a damaged file is refused. */
  readonly skipsDamage?: boolean;
}

/** The result of an import. */
export type ImportResult = FileImportResult | Exclude<ReadFileResult, { readonly type: "read" }>;

export type FileImportResult =
  /** `skipped`: the damaged places of the file. */
  | { readonly type: "imported"; readonly id: string; readonly entryCount: number; readonly skipped: readonly Damage[] }
  /** The tenant has a session of this id. */
  | { readonly type: "exists"; readonly id: string };

/** Imports the bytes of a session file of any version, in one transaction. */
export async function importSession(
  database: Database,
  tenant: string,
  bytes: Uint8Array,
  { runtime, skipsDamage = false }: ImportOptions,
): Promise<ImportResult> {
  checkTenant(tenant);
  const result = readSessionFile(bytes, { runtime, skipsDamage });
  return result.type === "read" ? await importFile(database, tenant, result.file) : result;
}

/** Imports a file that was read. */
export async function importFile(database: Database, tenant: string, file: SessionFile): Promise<FileImportResult> {
  checkTenant(tenant);
  const { id, skipped, rows } = file;
  const isImported = await insertImported(database, tenant, file);
  return isImported ? { type: "imported", id, entryCount: rows.length, skipped } : { type: "exists", id };
}

async function insertImported(database: Database, tenant: string, file: SessionFile): Promise<boolean> {
  return inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ readonly key: string | null }>(
      "select pith.create_session($1, $2, $3, $4) as key",
      [tenant, toStoredText(file.id), file.header, file.lastNumber],
    );
    const key = rows[0]?.key ?? null;
    if (key !== null) await insertEntries(client, { tenant, key }, file);
    return key !== null;
  });
}

const ROWS_PER_PAGE = 100;
const ROWS_PER_STATEMENT = 500;
/** A statement is one string, whose length is limited. */
const CHARS_PER_STATEMENT = 8 * 1024 * 1024;

/** Divides entries so that a statement has at most this many rows and about this many characters. */
function divideRows(rows: readonly FileRow[]): readonly (readonly FileRow[])[] {
  const parts: FileRow[][] = [[]];
  let chars = 0;
  for (const row of rows) {
    chars += row.body.length;
    const part = parts.at(-1) ?? [];
    if (part.length === ROWS_PER_STATEMENT || (part.length > 0 && chars > CHARS_PER_STATEMENT)) {
      parts.push([row]);
      chars = row.body.length;
    } else part.push(row);
  }
  return parts;
}

async function insertEntries(
  client: PoolClient,
  { tenant, key }: { readonly tenant: string; readonly key: string },
  { rows, leafId, lastNumber }: SessionFile,
): Promise<void> {
  for (const part of divideRows(rows)) {
    await client.query(
      `insert into pith.entry (session, seq, tenant, id, segment, context_start, number, type, body)
        select $1, seq, $2, id, segment, context_start, number, type, body from
          unnest($3::int[], $4::text[], $5::int[], $6::int[], $7::int[], $8::text[], $9::text[])
          as part (seq, id, segment, context_start, number, type, body)`,
      [
        key,
        tenant,
        part.map(({ seq }) => seq),
        part.map(({ id }) => toStoredText(id)),
        part.map(({ segment }) => segment),
        part.map(({ contextStart }) => contextStart),
        part.map(({ number }) => number),
        part.map(({ type }) => type),
        part.map(({ body }) => body),
      ],
    );
  }
  const firstEntries = rows.filter(({ beginsAfter }) => beginsAfter !== undefined);
  const parents = firstEntries.map(({ beginsAfter }) => (typeof beginsAfter === "object" ? beginsAfter : null));
  await client.query(
    `insert into pith.segment (session, segment, tenant, parent_segment, parent_seq, first_seq)
      select $1, segment, $2, parent_segment, parent_seq, first_seq from
        unnest($3::int[], $4::int[], $5::int[], $6::int[]) as part (segment, parent_segment, parent_seq, first_seq)`,
    [
      key,
      tenant,
      firstEntries.map(({ segment }) => segment),
      parents.map((parent) => parent?.segment ?? null),
      parents.map((parent) => parent?.seq ?? null),
      firstEntries.map(({ seq }) => seq),
    ],
  );
  const leaf = rows.find(({ id }) => id === leafId);
  if (!leaf) return;
  await client.query(
    `update pith.session set leaf = $2, last_seq = $3, leaf_segment = $4, leaf_context_start = $5, last_segment = $6,
      last_number = $7 where key = $1`,
    [key, toStoredText(leaf.id), rows.length - 1, leaf.segment, leaf.contextStart, firstEntries.length - 1, lastNumber],
  );
}

/** Returns a session as the bytes of a file. Throws if the session was erased. */
export async function exportSession(
  store: PostgresStore,
  { runtime }: { readonly runtime: Pick<Runtime, "checksum"> },
): Promise<Uint8Array> {
  const parts = [encodeSession([store.headerText], runtime.checksum)];
  for (let position = 0; ; ) {
    const rows = await store.rowsFrom(position, ROWS_PER_PAGE);
    if (rows.length === 0) break;
    const lines = rows.map(({ body, number }) => setEntryNumberInLine(body, number ?? undefined));
    parts.push(encodeSession(lines, runtime.checksum));
    position += rows.length;
  }
  // While this can be read, every page was there.
  await store.readPosition();
  return Buffer.concat(parts);
}
