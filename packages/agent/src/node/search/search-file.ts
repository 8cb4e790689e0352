/** Searches one file in pieces. It never waits for the other end of a pipe and never holds more than one piece. */

import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import type { GrepHit, GrepWish } from "../../ports.ts";
import { wideEncoding } from "../../text.ts";
import { cutAround } from "../../tools/search/grep.ts";
import { openHeld } from "../safe-files.ts";
import { LARGEST_MEGABYTES } from "./engine.ts";
import type { LinePattern } from "./line-pattern.ts";

export class FileHits {
  readonly found: GrepHit[] = [];
  readonly #path: string;
  readonly #around: number;
  readonly #redaction: GrepWish["redaction"];
  #before: GrepHit[] = [];
  #lastHit = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(path: string, { around = 0, redaction }: Pick<GrepWish, "around" | "redaction">) {
    this.#path = path;
    this.#around = around;
    this.#redaction = redaction;
  }

  get count(): number {
    return this.#count;
  }

  /** `place` is where the line has a hit, or -1. A long line comes in parts, and counts once. */
  see({ number, text, goesOn }: Line, place: number): void {
    if (number === this.#lastHit) return;
    const isAround = place < 0;
    const shown = cutAround(text, place, { goesOn, redaction: this.#redaction });
    const seen = { path: this.#path, line: number, text: shown, isAround };
    if (!isAround) this.#take(seen);
    else if (number <= this.#lastHit + this.#around) this.#add(this.found, seen);
    else this.#wait(seen);
  }

  #take(hit: GrepHit): void {
    // An earlier part of the same line was taken for a line around the hit before.
    if (this.found.at(-1)?.line === hit.line) this.found.pop();
    this.found.push(...this.#before.filter(({ line }) => line >= hit.line - this.#around && line < hit.line), hit);
    this.#before = [];
    this.#lastHit = hit.line;
    this.#count += 1;
  }

  #wait(line: GrepHit): void {
    if (this.#around === 0) return;
    this.#add(this.#before, line);
    if ((this.#before[0]?.line ?? 0) < line.line - this.#around) this.#before.shift();
  }

  /** Of a line in parts the first is shown. */
  #add(lines: GrepHit[], line: GrepHit): void {
    if (lines.at(-1)?.line !== line.line) lines.push(line);
  }
}

export interface Line {
  readonly number: number;
  readonly text: string;
  /** This is a part, and not the last. */
  readonly goesOn: boolean;
}

/** Short, because an expression may take the square of its length. */
const LONGEST_PART = 16 * 1024;
/** Parts overlap, so that a hit on their edge is seen. */
const OVERLAP = 512;

/** Splits bytes into lines; a line that is too long comes in parts, so that memory stays bounded. */
export class LineReader {
  #decoder: TextDecoder | null = null;
  #rest = "";
  #number = 1;

  /** Null: this is no text. */
  lines(bytes: Uint8Array): readonly Line[] | null {
    this.#decoder ??= new TextDecoder(wideEncoding(bytes) ?? "utf-8");
    if (this.#decoder.encoding === "utf-8" && bytes.includes(0)) return null;
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    const rest = this.#parts(lines.pop() ?? "");
    const whole = lines.flatMap((line) => this.#line(line));
    this.#rest = rest.at(-1) ?? "";
    return [...whole, ...rest.slice(0, -1).map((text) => ({ number: this.#number, text, goesOn: true }))];
  }

  /** What is left after the last piece. */
  end(): readonly Line[] {
    const rest = this.#rest + (this.#decoder?.decode() ?? "");
    return rest === "" ? [] : this.#line(rest);
  }

  #line(line: string): readonly Line[] {
    const number = this.#number;
    this.#number += 1;
    const parts = this.#parts(line.replace(/\r$/, ""));
    return parts.map((text, at) => ({ number, text, goesOn: at < parts.length - 1 }));
  }

  #parts(line: string): readonly string[] {
    const parts: string[] = [];
    let start = 0;
    for (; line.length - start > LONGEST_PART; start += LONGEST_PART - OVERLAP)
      parts.push(line.slice(start, start + LONGEST_PART));
    return [...parts, line.slice(start)];
  }
}

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
