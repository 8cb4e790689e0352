/** Reads search hits and their snippets from the session files. A hit counts only if its file still holds the match. */

import { basename, dirname, join } from "node:path";
import { readLine } from "../format/read-line.ts";
import type { JsonObject } from "../json.ts";
import { ignoreDiskErrors, type OpenFile } from "../node/files.ts";
import { readFolderCwd, sessionIdFromFileName } from "../node/session-file-name.ts";
import type { SessionItem } from "../node/sessions/list-item.ts";
import type { SessionFileOptions } from "../node/sessions/paths.ts";
import type { Redaction } from "../session/session.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { type Database, databaseFault } from "./database.ts";
import { findMarks, type HighlightMark, matchesQuery, type SearchQuery } from "./query.ts";
import { type LineLocation, readLineBytes, readSessionFileHead, type SessionFileHead } from "./read-sessions.ts";
import { extractSearchableText, type HitKind } from "./searchable-text.ts";
import { findFileLocation, findNameLine, markForReindex, type SearchCandidate } from "./tables.ts";

export interface Snippet {
  readonly text: string;
  /** Where the words that were asked for begin and end in it. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export function createSnippet(text: string, query: SearchQuery): Snippet {
  const start = snippetStart(findMarks(text, query, MAX_MARKS));
  const end = start + SNIPPET_CHARS;
  const line = sanitizeLine(text.slice(start, end), SNIPPET_CHARS);
  const snippetText = `${start > 0 ? "…" : ""}${line}${end < text.length && !line.endsWith("…") ? "…" : ""}`;
  return { text: snippetText, marks: mergeMarks(findMarks(snippetText, query, MAX_MARKS)) };
}

// The stretch with most parts of the question in it; of several the first.
function snippetStart(marks: readonly HighlightMark[]): number {
  let best = { start: marks[0]?.start ?? 0, parts: 0 };
  for (const [index, { start }] of marks.entries()) {
    const termIndexes = new Set<number>();
    for (
      let next = index;
      (marks[next]?.end ?? Number.POSITIVE_INFINITY) < start + SNIPPET_CHARS - CHARS_BEFORE_MATCH;
      next++
    )
      termIndexes.add(marks[next]?.termIndex ?? 0);
    if (termIndexes.size > best.parts) best = { start, parts: termIndexes.size };
  }
  return best.start <= CHARS_BEFORE_MATCH ? 0 : best.start - CHARS_BEFORE_MATCH;
}

/** Marks that touch or overlap become one. */
function mergeMarks(marks: readonly HighlightMark[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const { start, end } of [...marks].sort((one, other) => one.start - other.start)) {
    const last = ranges.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

const SNIPPET_CHARS = 240;
/** Letters before what was asked for, so that one sees where it belongs. */
const CHARS_BEFORE_MATCH = 60;
const MAX_MARKS = 500;

export interface Hit {
  readonly session: Pick<SessionItem, "id" | "path" | "name" | "cwd">;
  /** Its id; null for one of an old file that has none until it is opened. */
  readonly entry: string | null;
  readonly kind: HitKind;
  /** ISO. */
  readonly time: string;
  readonly snippet: Snippet;
}

export interface HitOptions extends Required<SessionFileOptions> {
  readonly searchQuery: SearchQuery;
  readonly redaction: Redaction;
}

/** One for each candidate, in their order; null for one that is no longer what it was. */
export function* readHits(
  database: Database,
  candidates: readonly SearchCandidate[],
  options: HitOptions,
): Generator<Hit | null> {
  const cwdByFolder = new Map<string, string | null>();
  for (const candidate of candidates) {
    const location = findFileLocation(database, candidate.file);
    const path = location && join(location.folder, location.name);
    const file = path && ignoreDiskErrors(() => options.files.open(path, "read"));
    if (!file) {
      yield null;
      continue;
    }
    try {
      const { checksum } = options.runtime;
      const hitFile = { path, file, fileHead: readSessionFileHead(file, { checksum, limits: options.limits }) };
      const hit = readHit(hitFile, candidate, {
        ...options,
        cwdByFolder,
        nameLocation: findNameLine(database, candidate.file),
      });
      // It was written over and looks as before: all of it is read anew for the next search.
      if (hit === "replaced") tryMarkForReindex(database, candidate.file);
      yield hit === "replaced" ? null : hit;
    } finally {
      file.close();
    }
  }
}

function tryMarkForReindex(database: Database, file: number): void {
  try {
    markForReindex(database, file);
  } catch (error) {
    // Whoever is writing meanwhile looks at all files anyway.
    if (databaseFault(error) !== "busy") throw error;
  }
}

interface HitFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly fileHead: SessionFileHead;
}

interface HitFileOptions extends HitOptions {
  readonly nameLocation: LineLocation | null;
  /** What was found of the folders so far. */
  readonly cwdByFolder: Map<string, string | null>;
}

/** Null where it has not what is asked for; `another` where another line stands in its place. */
function readHit(hitFile: HitFile, candidate: SearchCandidate, options: HitFileOptions): Hit | "replaced" | null {
  const value = readLineValue(hitFile, candidate);
  const content = value && extractSearchableText(value, options.redaction);
  if (!value || content?.kind !== candidate.kind) return "replaced";
  // A redaction may hide today what it did not know when this was read.
  if (!matchesQuery(content.text, options.searchQuery)) return null;
  return {
    session: describeSession(hitFile, options),
    entry: typeof value.id === "string" ? sanitizeLine(value.id) : null,
    kind: candidate.kind,
    time: new Date(candidate.time).toISOString(),
    snippet: createSnippet(content.text, options.searchQuery),
  };
}

function readLineValue({ file, fileHead }: HitFile, location: LineLocation): JsonObject | null {
  const line = readLineBytes(file, fileHead, location);
  const result = line && readLine(line, fileHead.rules);
  return result?.type === "whole" ? result.value : null;
}

function describeSession(
  hitFile: HitFile,
  { nameLocation, files, redaction, cwdByFolder }: HitFileOptions,
): Hit["session"] {
  const { header } = hitFile.fileHead;
  const folder = dirname(hitFile.path);
  const folderCwd = cwdByFolder.get(folder) ?? readFolderCwd(folder, files);
  cwdByFolder.set(folder, folderCwd);
  const name = nameLocation && readLineValue(hitFile, nameLocation)?.name;
  return {
    id: sanitizeLine(header?.id ?? sessionIdFromFileName(basename(hitFile.path)) ?? ""),
    path: hitFile.path,
    ...(typeof name === "string" && name.trim() !== "" && { name: sanitizeLine(redaction.redact(name)) }),
    cwd: folderCwd ?? (typeof header?.cwd === "string" ? header.cwd : ""),
  };
}
