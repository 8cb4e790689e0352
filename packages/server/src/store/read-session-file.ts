/** Reads a session file for its import: checks it, and places its entries in the tables. */

import { isDeepStrictEqual } from "node:util";
import type { Runtime } from "@pith/context";
import {
  addHeaderMark,
  createHeader,
  type Damage,
  decodeSession,
  type EntryLine,
  harmlessDamageKinds,
  isFutureHeader,
  readReservedNumber,
  serializeEntry,
} from "@pith/context/store";
import { placeEntries } from "./branch-segments.ts";
import { type EntryRow, toEntry } from "./entry-rows.ts";

export interface ReadFileOptions {
  readonly runtime: Pick<Runtime, "now" | "sessionId" | "checksum">;
  readonly skipsDamage: boolean;
}

/** What becomes rows. */
export interface SessionFile {
  readonly id: string;
  /** The line of the header. */
  readonly header: string;
  /** The highest number in use. */
  readonly lastNumber: number;
  /** The id of the leaf; null for an empty session. */
  readonly leafId: string | null;
  readonly rows: readonly FileRow[];
  /** The damaged places of the file. */
  readonly skipped: readonly Damage[];
}

/** An entry. */
export interface FileRow {
  readonly seq: number;
  readonly id: string;
  readonly segment: number;
  readonly contextStart: number;
  readonly number: number | null;
  readonly type: string;
  /** The line. */
  readonly body: string;
  /** Set for the first entry of its segment: where this begins. */
  readonly beginsAfter?: { readonly segment: number; readonly seq: number } | "nothing";
}

export type ReadFileResult =
  | { readonly type: "read"; readonly file: SessionFile }
  | { readonly type: "damaged"; readonly damage: readonly Damage[] }
  /** A newer version of Pith wrote the file. */
  | { readonly type: "newer-version" };

export function readSessionFile(bytes: Uint8Array, { runtime, skipsDamage }: ReadFileOptions): ReadFileResult {
  const file = decodeSession(bytes, runtime);
  if (file.header && isFutureHeader(file.header)) return { type: "newer-version" };
  const damage = file.damage.filter(({ kind }) => !harmlessDamageKinds.has(kind));
  if (damage.length > 0 && !skipsDamage) return { type: "damaged", damage };
  const header = file.header ?? createHeader({ cwd: "" }, runtime);
  const text = file.headerText ?? JSON.stringify(header);
  // A damaged line at the end that shows no sign of an entry is not the leaf.
  const lines = file.lines.slice(0, file.lines.findLastIndex(({ isStray }) => !isStray) + 1);
  const lineById = new Map(lines.map((line) => [line.entry.id, line]));
  const rows = placeEntries(lines.map(({ entry }) => entry)).map(
    ({ entry, seq, segment, contextStart, parent, beginsSegment }): FileRow => ({
      ...{ seq, id: entry.id, segment, contextStart, number: entry.number ?? null, type: entry.type },
      body: bodyOf(lineById.get(entry.id)),
      ...(beginsSegment && { beginsAfter: parent ? { segment: parent.segment, seq: parent.seq } : "nothing" }),
    }),
  );
  return {
    type: "read",
    file: {
      id: header.id,
      header: file.isPithFormat && !file.needsRewrite ? text : addHeaderMark(text),
      // Lines at the end that are left out have numbers, too.
      lastNumber: file.lines.reduce(
        (highest, { entry }) => Math.max(highest, entry.number ?? 0),
        readReservedNumber(header),
      ),
      leafId: lines.at(-1)?.entry.id ?? null,
      rows,
      skipped: damage,
    },
  };
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
