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
import type { SearchQuery } from "./query.ts";
import { type LineLocation, readLineBytes, readSessionFileHead, type SessionFileHead } from "./read-sessions.ts";
import { extractSearchableText, type HitKind, type SearchableText } from "./searchable-text.ts";
import { createSnippet, type Snippet } from "./snippet.ts";
import { createOutputReader } from "./stored-output.ts";
import { findFileLocation, findNameLine, markForReindex, type SearchCandidate } from "./tables.ts";

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
  const found = createSnippet(content.text, options.searchQuery);
  // The redaction may know more secrets now than when the entry was indexed.
  if (!found) return null;
  const { start, ...snippet } = found;
  const stored = locateInOutput(content, start);
  return {
    session: describeSession(hitFile, options),
    entry: typeof value.id === "string" ? sanitizeLine(value.id) : null,
    kind: candidate.kind,
    time: new Date(candidate.time).toISOString(),
    snippet,
    ...(stored && { stored }),
  };
}

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
