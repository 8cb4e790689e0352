/** One page of something long: read piece by piece, and no further than the page needs, so that its size takes no memory. */

import type { BlobRead } from "../../../blobs.ts";
import { outputLimit } from "../../bounds.ts";
import { counted, sized } from "../../output.ts";
import { byteLines, LONGEST_PART } from "./byte-lines.ts";
import { bytesIn, type Page, type PageWish } from "./page.ts";

/** In bytes. */
export type ReadRange = (range: { readonly start: number; readonly end: number }) => Promise<BlobRead>;

export interface LongWish extends PageWish {
  readonly signal: AbortSignal;
}

export async function longPage(
  read: ReadRange,
  wish: LongWish,
): Promise<Page | { readonly type: "unread"; readonly message: string }> {
  const page: PageInMaking = { lines: [], bytes: 0, passed: 0, isParted: false, end: "" };
  for (let at = 0; ; ) {
    wish.signal.throwIfAborted();
    const piece = await read({ start: at, end: at + PIECE });
    if (piece.type !== "read") return { type: "unread", message: `${wish.path} cannot be opened: ${piece.why}` };
    const isLast = piece.bytes.length < PIECE;
    const { done, isFull } = addLines(page, { piece: piece.bytes, isLast, wish });
    at += done;
    if (isFull) return { type: "page", text: withNotes(page, [readOn(page, wish, piece.size - at)]) };
    if (isLast) return lastPage(page, wish);
  }
}

const PIECE = 128 * 1024;
const decoder = new TextDecoder();

interface PageInMaking {
  readonly lines: string[];
  bytes: number;
  /** Lines that were looked at, shown or not. */
  passed: number;
  /** Whether a line of it is only a part of one. */
  isParted: boolean;
  end: "" | "\n";
}

interface Looked {
  /** Bytes of the piece that are dealt with. */
  readonly done: number;
  readonly isFull: boolean;
}

interface Piece {
  readonly piece: Uint8Array;
  readonly isLast: boolean;
  readonly wish: PageWish;
}

function addLines(page: PageInMaking, { piece, isLast, wish }: Piece): Looked {
  const { offset, limit = outputLimit.lines, room } = wish;
  const [mostLines, mostBytes] = [Math.min(limit, outputLimit.lines), bytesIn(room)];
  let done = 0;
  for (const { start, end, next } of byteLines(piece, { isLast })) {
    if (page.passed >= offset - 1) {
      const line = decoder.decode(piece.subarray(start, end)).replace(/\r$/, "");
      page.bytes += Buffer.byteLength(line) + 1;
      const isFull = page.lines.length === mostLines || (page.bytes > mostBytes && page.lines.length > 0);
      if (isFull) return { done, isFull };
      page.lines.push(line);
      page.isParted ||= next === end && end < piece.length;
      page.end = next > end ? "\n" : "";
    }
    page.passed++;
    done = next;
  }
  return { done, isFull: false };
}

function lastPage(page: PageInMaking, { path, offset }: PageWish): Page {
  if (page.passed === 0) return { type: "page", text: `[${path} is empty]` };
  if (page.lines.length > 0) return { type: "page", text: withNotes(page, []) };
  return { type: "beyond", message: `offset ${offset} is beyond the end: ${path} has ${counted(page.passed, "line")}` };
}

function readOn({ lines }: PageInMaking, { offset }: PageWish, left: number): string {
  const last = offset - 1 + lines.length;
  return `lines ${offset} to ${last}; ${sized(left)} follow; read on with offset ${last + 1}`;
}

function withNotes({ lines, end, isParted }: PageInMaking, notes: readonly string[]): string {
  const all = isParted ? [`a line over ${counted(LONGEST_PART, "byte")} counts as several`, ...notes] : notes;
  return lines.join("\n") + (all.length === 0 ? end : `\n\n[${all.join("; ")}]`);
}
