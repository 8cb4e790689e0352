/** What was found, read from the sessions themselves: the index is believed only where the file says the same. */

import { basename, dirname, join } from "node:path";
import { type JsonObject, readLine } from "../../session/codec/line/read-line.ts";
import { plainText } from "../../session/plain-text.ts";
import type { Redaction } from "../../session/redaction.ts";
import type { OpenFile } from "../files/files.ts";
import { orNull } from "../files/unavailable.ts";
import type { HomeParts } from "../sessions/home.ts";
import type { SessionItem } from "../sessions/listing/list-item.ts";
import { idInName } from "../sessions/placing/file-name.ts";
import { notedCwd } from "../sessions/placing/work-folder.ts";
import { matches } from "./asking/matching.ts";
import type { Question } from "./asking/question.ts";
import { type HitKind, searchable } from "./indexing/searchable.ts";
import { type Beginning, beginningOf, type LinePlace, lineAt } from "./indexing/session-lines.ts";
import { type Candidate, nameLine } from "./keeping/entries.ts";
import { doubt, placeOf } from "./keeping/known-files.ts";
import { type Database, databaseFault } from "./keeping/sqlite.ts";
import { type Snippet, snippet } from "./snippet.ts";

export interface Hit {
  readonly session: Pick<SessionItem, "id" | "path" | "name" | "cwd">;
  /** Its id; null for one of an old file that has none until it is opened. */
  readonly entry: string | null;
  readonly kind: HitKind;
  /** ISO. */
  readonly time: string;
  readonly snippet: Snippet;
}

export interface HitParts extends Required<HomeParts> {
  readonly question: Question;
  readonly redaction: Redaction;
}

/** One for each candidate, in their order; null for one that is no longer what it was. */
export function* hitsOf(database: Database, candidates: readonly Candidate[], parts: HitParts): Generator<Hit | null> {
  const directories = new Map<string, string | null>();
  for (const candidate of candidates) {
    const place = placeOf(database, candidate.file);
    const path = place && join(place.folder, place.name);
    const file = path && orNull(() => parts.files.open(path, "read"));
    if (!file) {
      yield null;
      continue;
    }
    try {
      const { checksum } = parts.ports;
      const opened = { path, file, beginning: beginningOf(file, { checksum, limits: parts.limits }) };
      const hit = hitAt(opened, candidate, { ...parts, directories, named: nameLine(database, candidate.file) });
      // It was written over and looks as before: all of it is read anew for the next search.
      if (hit === "another") doubtIfFree(database, candidate.file);
      yield hit === "another" ? null : hit;
    } finally {
      file.close();
    }
  }
}

function doubtIfFree(database: Database, file: number): void {
  try {
    doubt(database, file);
  } catch (error) {
    // Whoever is writing meanwhile looks at all files anyway.
    if (databaseFault(error) !== "busy") throw error;
  }
}

interface OpenedFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly beginning: Beginning;
}

interface NamedParts extends HitParts {
  readonly named: LinePlace | null;
  /** What was found of the folders so far. */
  readonly directories: Map<string, string | null>;
}

/** Null where it has not what is asked for; `another` where another line stands in its place. */
function hitAt(opened: OpenedFile, candidate: Candidate, parts: NamedParts): Hit | "another" | null {
  const value = valueAt(opened, candidate);
  const found = value && searchable(value, parts.redaction);
  if (!value || found?.kind !== candidate.kind) return "another";
  // A redaction may hide today what it did not know when this was read.
  if (!matches(found.text, parts.question)) return null;
  return {
    session: sessionOf(opened, parts),
    entry: typeof value.id === "string" ? plainText(value.id) : null,
    kind: candidate.kind,
    time: new Date(candidate.time).toISOString(),
    snippet: snippet(found.text, parts.question),
  };
}

function valueAt({ file, beginning }: OpenedFile, place: LinePlace): JsonObject | null {
  const line = lineAt(file, beginning, place);
  const reading = line && readLine(line, beginning.rules);
  return reading?.type === "whole" ? reading.value : null;
}

function sessionOf(opened: OpenedFile, { named, files, redaction, directories }: NamedParts): Hit["session"] {
  const { header } = opened.beginning;
  const folder = dirname(opened.path);
  const noted = directories.get(folder) ?? notedCwd(folder, files);
  directories.set(folder, noted);
  const name = named && valueAt(opened, named)?.name;
  return {
    id: plainText(header?.id ?? idInName(basename(opened.path)) ?? ""),
    path: opened.path,
    ...(typeof name === "string" && name.trim() !== "" && { name: plainText(redaction.redacted(name)) }),
    cwd: noted ?? (typeof header?.cwd === "string" ? header.cwd : ""),
  };
}
