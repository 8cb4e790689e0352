/** Reads search hits and their snippets from the session files. A hit counts only if its file still holds the match. */

import { basename, dirname, join } from "node:path";
import { type JsonObject, readLine } from "../format/read-line.ts";
import { type OpenFile, orNull } from "../node/files.ts";
import { idInName, notedCwd } from "../node/session-place.ts";
import type { SessionItem } from "../node/sessions/list-item.ts";
import type { HomeParts } from "../node/sessions/paths.ts";
import type { Redaction } from "../session/session.ts";
import { plainText } from "../text/sanitize.ts";
import { type Database, databaseFault } from "./database.ts";
import { type Mark, marksIn, matches, type Question } from "./query.ts";
import { type Beginning, beginningOf, type LinePlace, lineAt } from "./read-sessions.ts";
import { type HitKind, searchable } from "./searchable-text.ts";
import { type Candidate, doubt, nameLine, placeOf } from "./tables.ts";

export interface Snippet {
  readonly text: string;
  /** Where the words that were asked for begin and end in it. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export function snippet(text: string, question: Question): Snippet {
  const start = snippetStart(marksIn(text, question, MOST_MARKS));
  const end = start + LETTERS;
  const line = plainText(text.slice(start, end), LETTERS);
  const shown = `${start > 0 ? "…" : ""}${line}${end < text.length && !line.endsWith("…") ? "…" : ""}`;
  return { text: shown, marks: united(marksIn(shown, question, MOST_MARKS)) };
}

// The stretch with most parts of the question in it; of several the first.
function snippetStart(marks: readonly Mark[]): number {
  let best = { start: marks[0]?.start ?? 0, parts: 0 };
  for (const [at, { start }] of marks.entries()) {
    const parts = new Set<number>();
    for (let more = at; (marks[more]?.end ?? Number.POSITIVE_INFINITY) < start + LETTERS - BEFORE; more++)
      parts.add(marks[more]?.part ?? 0);
    if (parts.size > best.parts) best = { start, parts: parts.size };
  }
  return best.start <= BEFORE ? 0 : best.start - BEFORE;
}

/** Marks that touch or overlap become one. */
function united(marks: readonly Mark[]): readonly (readonly [number, number])[] {
  const all: [number, number][] = [];
  for (const { start, end } of [...marks].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}

const LETTERS = 240;
/** Letters before what was asked for, so that one sees where it belongs. */
const BEFORE = 60;
const MOST_MARKS = 500;

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
