/** One file held against a pattern, read in pieces. Never waits for the other end of a pipe, and never keeps more than a piece. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { GrepHit } from "../../../workspace.ts";
import { LARGEST_MEGABYTES } from "../engine.ts";
import { FileHits } from "./file-hits.ts";
import type { LinePattern } from "./line-pattern.ts";
import { type Line, LineReader } from "./line-reader.ts";

export interface SearchedFile {
  readonly path: Buffer;
  readonly shown: string;
  /** Not come upon in a folder. */
  readonly isNamed: boolean;
}

export interface FileSearch {
  readonly pattern: Extract<LinePattern, { type: "pattern" }>;
  readonly around: number;
  readonly most: number;
  readonly signal: AbortSignal;
}

const PIECE = 256 * 1024;

/** None where it is no text, too large or closed to us. Null: the pattern takes too long. */
export async function searchFile(file: SearchedFile, search: FileSearch): Promise<readonly GrepHit[] | null> {
  search.signal.throwIfAborted();
  // Gone since its name was read, or closed to us: a search finds what it can.
  const opened = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (opened === null) return [];
  try {
    const stats = await opened.stat();
    const isLarge = stats.size > LARGEST_MEGABYTES * 1024 * 1024;
    return stats.isFile() && (file.isNamed || !isLarge) ? await searchOpen(opened, file, search) : [];
  } finally {
    await opened.close();
  }
}

async function searchOpen(
  opened: FileHandle,
  { shown }: SearchedFile,
  search: FileSearch,
): Promise<readonly GrepHit[] | null> {
  const hits = new FileHits(shown, search.around);
  const reader = new LineReader();
  const piece = Buffer.allocUnsafe(PIECE);
  for (let length = -1; length !== 0 && hits.count <= search.most; ) {
    search.signal.throwIfAborted();
    length = (await opened.read(piece, 0, PIECE)).bytesRead;
    const lines = length === 0 ? reader.end() : reader.lines(piece.subarray(0, length));
    if (lines === null) return [];
    if (!look(lines, hits, search)) return null;
  }
  return hits.found;
}

/** False where the pattern takes too long. */
function look(lines: readonly Line[], hits: FileHits, { pattern }: FileSearch): boolean {
  const places = pattern.placesIn(lines.map(({ text }) => text));
  if (places === null) return false;
  for (const [at, line] of lines.entries()) hits.see(line, places[at] ?? -1);
  return true;
}
