/** Reads search hits and their snippets from the session files. A hit is returned only if its file still contains the match. */

import { basename, dirname, join } from "node:path";
import { readLine } from "../format/read-line.ts";
import type { JsonObject } from "../json.ts";
import { ignoreDiskErrors, type OpenFile, readFolderCwd, sessionIdFromFileName } from "../node/files.ts";
import type { SessionItem } from "../node/sessions/list-item.ts";
import type { SessionFileOptions } from "../node/sessions/paths.ts";
import type { Redaction } from "../session/session.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { type Database, databaseFault } from "./database.ts";
import { findMarks, type HighlightMark, matchesQuery, type SearchQuery } from "./query.ts";
import { type LineLocation, readLineBytes, readSessionFileHead, type SessionFileHead } from "./read-sessions.ts";
import { extractSearchableText, type HitKind, type SearchableText } from "./searchable-text.ts";
import { createOutputReader } from "./stored-output.ts";
import { findFileLocation, findNameLine, markForReindex, type SearchCandidate } from "./tables.ts";

/** A short part of an entry's text with the matches marked. */
export interface Snippet {
  readonly text: string;
  /** The ranges of the matched words. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** An entry that matches a search. */
export interface Hit {
  readonly session: Pick<SessionItem, "id" | "path" | "name" | "cwd">;
  /** The entry's id; null in an old file whose entries get ids only when it is opened. */
  readonly entry: string | null;
  readonly kind: HitKind;
  /** ISO. */
  readonly time: string;
  readonly snippet: Snippet;
  /** The stored output that contains the snippet. */
  readonly stored?: StoredLocation;
}

/** A place in the stored output of a tool call. */
export interface StoredLocation {
  /** The blob's hash. */
  readonly hash: string;
  /** The line where the snippet starts, from 1; null in an output that is too long to be searched as a whole. */
  readonly line: number | null;
}

export interface HitOptions extends Required<SessionFileOptions> {
  readonly searchQuery: SearchQuery;
  readonly redaction: Redaction;
}

/** Reads the hit of each candidate, in order; null if the file no longer contains the match. */
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
      // The file was overwritten without a visible change; the next search indexes it again.
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
    // Another process is updating the index and checks all files anyway.
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
  /** A cache of the working directory per folder. */
  readonly cwdByFolder: Map<string, string | null>;
}

/** Null if the entry no longer matches; `replaced` if the file has another line at this offset. */
function readHit(hitFile: HitFile, candidate: SearchCandidate, options: HitFileOptions): Hit | "replaced" | null {
  const value = readLineValue(hitFile, candidate);
  const readOutput = createOutputReader(hitFile.path, options.files);
  const content = value && extractSearchableText(value, { ...options, readOutput });
  if (!value || content?.kind !== candidate.kind) return "replaced";
  const { searchQuery } = options;
  const region = findRegion(content.text, searchQuery);
  // The redaction may know more secrets now than when the entry was indexed.
  if (!region) return null;
  const { start, ...snippet } = createSnippet(content.text.slice(region.start, region.end), searchQuery);
  const stored = locateInOutput(content, region.start + start);
  return {
    session: describeSession(hitFile, options),
    entry: typeof value.id === "string" ? sanitizeLine(value.id) : null,
    kind: candidate.kind,
    time: new Date(candidate.time).toISOString(),
    snippet,
    ...(stored && { stored }),
  };
}

interface TextRegion {
  readonly start: number;
  readonly end: number;
}

/** The part of a text that a snippet is taken from; null if the text does not match. Of a long text, it is the part around the rarest word. */
function findRegion(text: string, query: SearchQuery): TextRegion | null {
  const matches = ({ start, end }: TextRegion): boolean => matchesQuery(text.slice(start, end), query);
  const [rarest] = query.terms.toSorted((one, other) => (other.weight ?? 1) - (one.weight ?? 1));
  const index = text.length > LONG_TEXT_CHARS ? text.toLowerCase().indexOf(rarest?.words[0] ?? "") : -1;
  const region = { start: Math.max(0, index - REGION_CHARS), end: index + REGION_CHARS };
  if (index >= 0 && matches(region)) return region;
  const whole = { start: 0, end: text.length };
  return matches(whole) ? whole : null;
}

/** It takes tens of milliseconds to find the words in a longer text. */
const LONG_TEXT_CHARS = 32 * 1024;
const REGION_CHARS = 2 * 1024;

/** Null if the snippet is in the entry itself. */
function locateInOutput({ text, stored }: SearchableText, snippetStart: number): StoredLocation | null {
  if (!stored || snippetStart < stored.start) return null;
  const { hash, start, isWhole } = stored;
  return { hash, line: isWhole ? text.slice(start, snippetStart).split("\n").length : null };
}

function readLineValue({ file, fileHead }: HitFile, location: LineLocation): JsonObject | null {
  const line = readLineBytes(file, fileHead, location);
  const result = line && readLine(line, fileHead.rules);
  return result?.type === "intact" ? result.value : null;
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

/** Cuts out the part of a text that contains the most terms of the query. */
function createSnippet(text: string, query: SearchQuery): Snippet & { readonly start: number } {
  // At the end of the text, more of what is before the words is shown.
  const lastStart = Math.max(0, text.length - SNIPPET_CHARS);
  const start = Math.min(lastStart, snippetStart(findMarks(text, query, MAX_MARKS), query));
  const end = start + SNIPPET_CHARS;
  const line = sanitizeLine(text.slice(start, end), SNIPPET_CHARS);
  const snippetText = `${start > 0 ? "…" : ""}${line}${end < text.length && !line.endsWith("…") ? "…" : ""}`;
  return { start, text: snippetText, marks: mergeMarks(findMarks(snippetText, query, MAX_MARKS)) };
}

// The shortest range that contains the most query terms, counted by their weight: then the text after them is shown, too.
function snippetStart(marks: readonly HighlightMark[], { terms }: SearchQuery): number {
  let best = { start: marks[0]?.start ?? 0, weight: 0, chars: 0 };
  for (const [index, { start }] of marks.entries()) {
    const found = new Set<number>();
    let range = { start, weight: 0, chars: 0 };
    for (const { end, termIndex } of marks.slice(index)) {
      if (end >= start + SNIPPET_CHARS - CHARS_BEFORE_MATCH) break;
      if (found.has(termIndex)) continue;
      found.add(termIndex);
      range = { start, weight: range.weight + (terms[termIndex]?.weight ?? 1), chars: end - start };
    }
    if (range.weight > best.weight || (range.weight === best.weight && range.chars < best.chars)) best = range;
  }
  return best.start <= CHARS_BEFORE_MATCH ? 0 : best.start - CHARS_BEFORE_MATCH;
}

/** Joins marks that touch or overlap. */
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

/** The characters of context before the first match. */
const CHARS_BEFORE_MATCH = 60;

const MAX_MARKS = 500;
