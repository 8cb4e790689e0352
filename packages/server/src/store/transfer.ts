/** Copies sessions between files and PostgreSQL. Each entry and each line stays as it is. */

import { isDeepStrictEqual } from "node:util";
import type { Runtime } from "@pith/context";
import {
  addHeaderMark,
  createHeader,
  type Damage,
  decodeSession,
  type EntryLine,
  encodeSession,
  harmlessDamageKinds,
  isFutureHeader,
  readReservedNumber,
  serializeEntry,
  setEntryNumberInLine,
} from "@pith/context/store";
import type { PoolClient } from "pg";
import { type PlacedEntry, placeEntries } from "./branch-segments.ts";
import { type Database, inTransaction } from "./connect.ts";
import { type EntryRow, toEntry, toStoredText } from "./entry-rows.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { checkTenant } from "./sessions.ts";

/** Options of `importSession`. */
export interface ImportOptions {
  readonly runtime: Pick<Runtime, "now" | "sessionId" | "checksum">;
  /** Imports the rest of a damaged file. Default: a damaged file is refused. */
  readonly skipsDamage?: boolean;
}

/** The result of an import. */
export type ImportResult =
  /** `skipped`: the damaged places of the file. */
  | { readonly type: "imported"; readonly id: string; readonly entryCount: number; readonly skipped: readonly Damage[] }
  | { readonly type: "damaged"; readonly damage: readonly Damage[] }
  /** A newer version of Pith wrote the file. */
  | { readonly type: "newer-version" }
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
  const file = decodeSession(bytes, runtime);
  if (file.header && isFutureHeader(file.header)) return { type: "newer-version" };
  const damage = file.damage.filter(({ kind }) => !harmlessDamageKinds.has(kind));
  if (damage.length > 0 && !skipsDamage) return { type: "damaged", damage };
  const header = file.header ?? createHeader({ cwd: "" }, runtime);
  const text = file.headerText ?? JSON.stringify(header);
  // A damaged line at the end that shows no sign of an entry is not the leaf.
  const lines = file.lines.slice(0, file.lines.findLastIndex(({ isStray }) => !isStray) + 1);
  const lineById = new Map(lines.map((line) => [line.entry.id, line]));
  const isImported = await insertImported(database, tenant, {
    id: header.id,
    header: file.isPithFormat && !file.needsRewrite ? text : addHeaderMark(text),
    // Lines at the end that are left out have numbers, too.
    lastNumber: file.lines.reduce(
      (highest, { entry }) => Math.max(highest, entry.number ?? 0),
      readReservedNumber(header),
    ),
    placed: placeEntries(lines.map(({ entry }) => entry)),
    leafId: lines.at(-1)?.entry.id ?? null,
    bodyOf: (id) => bodyOf(lineById.get(id)),
  });
  if (!isImported) return { type: "exists", id: header.id };
  return { type: "imported", id: header.id, entryCount: lines.length, skipped: damage };
}

/** The line as written, if it alone gives the entry. */
function bodyOf(line: EntryLine | undefined): string {
  if (!line) return "";
  const { entry } = line;
  const body = line.text();
  if (body !== null && isDeepStrictEqual(readBody({ number: entry.number ?? null, body }), entry)) return body;
  return serializeEntry(entry);
}

function readBody(row: EntryRow): unknown {
  try {
    return toEntry(row);
  } catch {
    // The entry is written anew.
    return null;
  }
}

interface ImportedSession {
  readonly id: string;
  /** The line of the header. */
  readonly header: string;
  /** The highest number in use. */
  readonly lastNumber: number;
  readonly placed: readonly PlacedEntry[];
  /** The id of the leaf; null for an empty session. */
  readonly leafId: string | null;
  bodyOf(id: string): string;
}

async function insertImported(database: Database, tenant: string, session: ImportedSession): Promise<boolean> {
  return inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ readonly key: string | null }>(
      "select pith.create_session($1, $2, $3, $4) as key",
      [tenant, toStoredText(session.id), session.header, session.lastNumber],
    );
    const key = rows[0]?.key ?? null;
    if (key !== null) await insertEntries(client, { tenant, key }, session);
    return key !== null;
  });
}

const ROWS_PER_PAGE = 100;
const ROWS_PER_STATEMENT = 500;
/** A statement is one string, whose length is limited. */
const CHARS_PER_STATEMENT = 8 * 1024 * 1024;

/** Divides entries so that a statement has at most this many rows and about this many characters. */
function divideRows(rows: readonly EntryWithBody[]): readonly (readonly EntryWithBody[])[] {
  const parts: EntryWithBody[][] = [[]];
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

interface EntryWithBody extends PlacedEntry {
  /** The line. */
  readonly body: string;
}

async function insertEntries(
  client: PoolClient,
  { tenant, key }: { readonly tenant: string; readonly key: string },
  { placed, leafId, bodyOf, lastNumber }: ImportedSession,
): Promise<void> {
  for (const part of divideRows(placed.map((each) => ({ ...each, body: bodyOf(each.entry.id) })))) {
    await client.query(
      `insert into pith.entry (session, seq, tenant, id, segment, context_start, number, type, body)
        select $1, seq, $2, id, segment, context_start, number, type, body from
          unnest($3::int[], $4::text[], $5::int[], $6::int[], $7::int[], $8::text[], $9::text[])
          as part (seq, id, segment, context_start, number, type, body)`,
      [
        key,
        tenant,
        part.map(({ seq }) => seq),
        part.map(({ entry }) => toStoredText(entry.id)),
        part.map(({ segment }) => segment),
        part.map(({ contextStart }) => contextStart),
        part.map(({ entry }) => entry.number ?? null),
        part.map(({ entry }) => entry.type),
        part.map(({ body }) => body),
      ],
    );
  }
  const firstEntries = placed.filter(({ beginsSegment }) => beginsSegment);
  await client.query(
    `insert into pith.segment (session, segment, tenant, parent_segment, parent_seq, first_seq)
      select $1, segment, $2, parent_segment, parent_seq, first_seq from
        unnest($3::int[], $4::int[], $5::int[], $6::int[]) as part (segment, parent_segment, parent_seq, first_seq)`,
    [
      key,
      tenant,
      firstEntries.map(({ segment }) => segment),
      firstEntries.map(({ parent }) => parent?.segment ?? null),
      firstEntries.map(({ parent }) => parent?.seq ?? null),
      firstEntries.map(({ seq }) => seq),
    ],
  );
  const leaf = placed.find(({ entry }) => entry.id === leafId);
  if (!leaf) return;
  await client.query(
    `update pith.session set leaf = $2, last_seq = $3, leaf_segment = $4, leaf_context_start = $5, last_segment = $6,
      last_number = $7 where key = $1`,
    [
      key,
      toStoredText(leaf.entry.id),
      placed.length - 1,
      leaf.segment,
      leaf.contextStart,
      firstEntries.length - 1,
      lastNumber,
    ],
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
