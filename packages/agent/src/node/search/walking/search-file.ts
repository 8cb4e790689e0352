/** One file held against a pattern, read in pieces. Never waits for the other end of a pipe, and never keeps more than a piece. */

import type { FileHandle } from "node:fs/promises";
import type { GrepHit, GrepWish } from "../../../workspace.ts";
import { openHeld } from "../../disk/open-held.ts";
import { LARGEST_MEGABYTES } from "../engine.ts";
import { FileHits } from "./file-hits.ts";
import type { LinePattern } from "./line-pattern.ts";
import { type Line, LineReader } from "./line-reader.ts";

export interface SearchedFile {
  /** Where it lies, and the path to open it by. */
  readonly real: Buffer;
  readonly at: Buffer;
  readonly shown: string;
  /** Not come upon in a folder. */
  readonly isNamed: boolean;
}

export interface FileSearch extends Pick<GrepWish, "redaction"> {
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
  const held = await openHeld(file).catch(() => null);
  if (held === null) return [];
  try {
    const stats = await held.file.stat();
    const isLarge = stats.size > LARGEST_MEGABYTES * 1024 * 1024;
    return stats.isFile() && (file.isNamed || !isLarge) ? await searchOpen(held.file, file, search) : [];
  } catch (error) {
    search.signal.throwIfAborted();
    // Some that say they are files cannot be read: under /proc, or on a disk that fails.
    if (file.isNamed) throw error;
    return [];
  } finally {
    await held.file.close();
  }
}

async function searchOpen(
  opened: FileHandle,
  { shown }: SearchedFile,
  search: FileSearch,
): Promise<readonly GrepHit[] | null> {
  const hits = new FileHits(shown, search);
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
