/** The file that ripgrep says it has read, opened once more: ripgrep goes by paths, which somebody may bend meanwhile, and what it tells must stand here. */

import type { FileHandle } from "node:fs/promises";
import { wideEncoding } from "../../../bytes/text-of.ts";
import { type Opening, openHeld } from "../../disk/open-held.ts";

export interface Source {
  /** As many as are there; none where it cannot be read. */
  bytes(start: number, length: number): Promise<Buffer>;
  /** Whether it has a line, told with its place. */
  has(line: Buffer, offset: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Null where it is gone, or lies elsewhere by now. */
export async function openSource(opening: Opening): Promise<Source | null> {
  const held = await openHeld(opening).catch(() => null);
  if (held === null) return null;
  const { file } = held;
  const bytes = (start: number, length: number): Promise<Buffer> => read(file, start, length);
  const wide = wideEncoding(await bytes(0, MARK));
  return {
    bytes,
    has: async (line, offset) =>
      wide === null
        ? (await bytes(Math.max(0, offset - MARK), line.length + 2 * MARK)).includes(line)
        : await hasSomewhere(bytes, wideBytes(line, wide)),
    close: () => file.close(),
  };
}

/** Ripgrep counts from behind a byte order mark. */
const MARK = 3;

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const piece = await file.read(Buffer.alloc(length), { position }).catch(() => null);
  return piece === null ? Buffer.alloc(0) : piece.buffer.subarray(0, piece.bytesRead);
}

/** The place that ripgrep tells is one in another encoding. */
async function hasSomewhere(bytes: Source["bytes"], wanted: Buffer): Promise<boolean> {
  for (let start = 0; ; start += PIECE) {
    const piece = await bytes(start, PIECE + wanted.length);
    if (piece.includes(wanted)) return true;
    if (piece.length < PIECE) return false;
  }
}

const PIECE = 1024 * 1024;

function wideBytes(line: Buffer, encoding: "utf-16le" | "utf-16be"): Buffer {
  const little = Buffer.from(line.toString(), "utf16le");
  return encoding === "utf-16le" ? little : little.swap16();
}
