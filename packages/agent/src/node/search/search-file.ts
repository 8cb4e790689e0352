/**
 * Searches one file with a JavaScript expression, in chunks. It never waits for the other end of a pipe and never holds more than one chunk.
 * A match that takes too long is aborted, because a JavaScript expression can run almost forever.
 */

import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import type { GrepHit, GrepQuery } from "../../ports.ts";
import { detectUtf16 } from "../../text.ts";
import { cutLineAround } from "../../tools/search.ts";
import { openNoFollow } from "../safe-files.ts";
import { escapePattern, MAX_FILE_MEGABYTES } from "./engine.ts";
import { type TranslatedPattern, translateRustPattern } from "./rust-pattern.ts";

export interface SearchedFile {
  /** Its path without links. */
  readonly realPath: Buffer;
  readonly openPath: Buffer;
  readonly displayPath: string;
  /** Whether the caller named this file, instead of a folder. */
  readonly isNamed: boolean;
}

export interface FileSearchOptions extends Pick<GrepQuery, "redaction"> {
  readonly pattern: Extract<LinePattern, { type: "pattern" }>;
  readonly contextLines: number;
  readonly maxResults: number;
  readonly signal: AbortSignal;
}

const CHUNK_BYTES = 256 * 1024;

/** Empty where the file is not text, too large or unreadable. Null where the pattern takes too long. */
export async function searchFile(file: SearchedFile, options: FileSearchOptions): Promise<readonly GrepHit[] | null> {
  options.signal.throwIfAborted();
  // Removed since its name was read, or unreadable.
  const opened = await openNoFollow(file).catch(() => null);
  if (opened === null) return [];
  try {
    const stats = await opened.file.stat();
    const isLarge = stats.size > MAX_FILE_MEGABYTES * 1024 * 1024;
    return stats.isFile() && (file.isNamed || !isLarge) ? await searchOpenFile(opened.file, file, options) : [];
  } catch (error) {
    options.signal.throwIfAborted();
    // Some regular files cannot be read: under /proc, or on a failing disk.
    if (file.isNamed) throw error;
    return [];
  } finally {
    await opened.file.close();
  }
}

async function searchOpenFile(
  opened: FileHandle,
  { displayPath }: SearchedFile,
  options: FileSearchOptions,
): Promise<readonly GrepHit[] | null> {
  const hits = new FileHits(displayPath, options);
  const reader = new LineReader();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let length = -1; length !== 0 && hits.count <= options.maxResults; ) {
    options.signal.throwIfAborted();
    length = (await opened.read(buffer, 0, CHUNK_BYTES)).bytesRead;
    const lines = length === 0 ? reader.end() : reader.readLines(buffer.subarray(0, length));
    if (lines === null) return [];
    if (!addMatches(lines, hits, options)) return null;
  }
  return hits.hits;
}

/** Returns false where the pattern takes too long. */
function addMatches(lines: readonly Line[], hits: FileHits, { pattern }: FileSearchOptions): boolean {
  const indexes = pattern.findMatches(lines.map(({ text }) => text));
  if (indexes === null) return false;
  for (const [index, line] of lines.entries()) hits.addLine(line, indexes[index] ?? -1);
  return true;
}

class FileHits {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #contextLines: number;
  readonly #redaction: GrepQuery["redaction"];
  #contextBefore: GrepHit[] = [];
  #lastHitLine = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(path: string, { contextLines = 0, redaction }: Pick<GrepQuery, "contextLines" | "redaction">) {
    this.#path = path;
    this.#contextLines = contextLines;
    this.#redaction = redaction;
  }

  get count(): number {
    return this.#count;
  }

  /** `hitIndex` is the position of the hit in the line, or -1. A long line comes in parts and counts once. */
  addLine({ number, text, isContinued }: Line, hitIndex: number): void {
    if (number === this.#lastHitLine) return;
    const isContext = hitIndex < 0;
    const displayText = cutLineAround(text, hitIndex, { isContinued, redaction: this.#redaction });
    const entry = { path: this.#path, line: number, text: displayText, isContext };
    if (!isContext) this.#addHit(entry);
    else if (number <= this.#lastHitLine + this.#contextLines) this.#pushOnce(this.hits, entry);
    else this.#addContextBefore(entry);
  }

  #addHit(hit: GrepHit): void {
    // An earlier part of the same line was added as a context line.
    if (this.hits.at(-1)?.line === hit.line) this.hits.pop();
    this.hits.push(
      ...this.#contextBefore.filter(({ line }) => line >= hit.line - this.#contextLines && line < hit.line),
      hit,
    );
    this.#contextBefore = [];
    this.#lastHitLine = hit.line;
    this.#count += 1;
  }

  #addContextBefore(line: GrepHit): void {
    if (this.#contextLines === 0) return;
    this.#pushOnce(this.#contextBefore, line);
    if ((this.#contextBefore[0]?.line ?? 0) < line.line - this.#contextLines) this.#contextBefore.shift();
  }

  /** Of a line in parts, the first is shown. */
  #pushOnce(lines: GrepHit[], line: GrepHit): void {
    if (lines.at(-1)?.line !== line.line) lines.push(line);
  }
}

export interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether this is a part of a long line, and not the last one. */
  readonly isContinued: boolean;
}

/** Short, because the time of an expression may grow with the square of the length. */
const MAX_PART_CHARS = 16 * 1024;
/** Parts overlap, so that a hit across their edge is found. */
const PART_OVERLAP_CHARS = 512;

/** Splits bytes into lines; a line that is too long comes in parts, so that memory stays bounded. */
class LineReader {
  #decoder: TextDecoder | null = null;
  #unfinished = "";
  #lineNumber = 1;

  /** Null if the file is not text. */
  readLines(bytes: Uint8Array): readonly Line[] | null {
    this.#decoder ??= new TextDecoder(detectUtf16(bytes) ?? "utf-8");
    if (this.#decoder.encoding === "utf-8" && bytes.includes(0)) return null;
    const lines = (this.#unfinished + this.#decoder.decode(bytes, { stream: true })).split("\n");
    const rest = this.#splitParts(lines.pop() ?? "");
    const whole = lines.flatMap((line) => this.#splitLine(line));
    this.#unfinished = rest.at(-1) ?? "";
    return [...whole, ...rest.slice(0, -1).map((text) => ({ number: this.#lineNumber, text, isContinued: true }))];
  }

  /** The rest after the last chunk. */
  end(): readonly Line[] {
    const rest = this.#unfinished + (this.#decoder?.decode() ?? "");
    return rest === "" ? [] : this.#splitLine(rest);
  }

  #splitLine(line: string): readonly Line[] {
    const number = this.#lineNumber;
    this.#lineNumber += 1;
    const parts = this.#splitParts(line.replace(/\r$/, ""));
    return parts.map((text, index) => ({ number, text, isContinued: index < parts.length - 1 }));
  }

  #splitParts(line: string): readonly string[] {
    const parts: string[] = [];
    let start = 0;
    for (; line.length - start > MAX_PART_CHARS; start += MAX_PART_CHARS - PART_OVERLAP_CHARS)
      parts.push(line.slice(start, start + MAX_PART_CHARS));
    return [...parts, line.slice(start)];
  }
}

export type LinePattern =
  | {
      readonly type: "pattern";
      /** The position of the first match in each line, or -1. Null if matching takes too long. */
      readonly findMatches: (lines: readonly string[]) => readonly number[] | null;
    }
  | Exclude<TranslatedPattern, { type: "translated" }>;

export function compileLinePattern({
  pattern,
  isLiteral = false,
  ignoresCase = false,
}: Omit<GrepQuery, "path">): LinePattern {
  const translated = isLiteral
    ? ({ type: "translated", source: escapePattern(pattern), ignoresCase } as const)
    : translateRustPattern(pattern);
  if (translated.type !== "translated") return translated;
  const flags = `v${ignoresCase || translated.ignoresCase ? "i" : ""}`;
  try {
    const expression = new RegExp(translated.source, flags);
    const findMatches = (lines: readonly string[]): readonly number[] => lines.map((line) => line.search(expression));
    const isQuick = isLiteral || !REPETITION.test(pattern);
    return { type: "pattern", findMatches: isQuick ? findMatches : withTimeLimit(findMatches) };
  } catch {
    // Only a newer version of Node knows flags for a part of a pattern.
    return { type: "unsupported", what: "syntax that this version of Node does not have" };
  }
}

const MATCH_TIMEOUT_MS = 1_000;

/** Without repetition, the time is bounded by the length of the line times that of the expression. */
const REPETITION = /[*+?{]/;

type LineMatcher<Result> = (lines: readonly string[]) => Result;

/** Node can time out only code that runs as a script; it starts a thread to watch it. */
function withTimeLimit(findMatches: LineMatcher<readonly number[]>): LineMatcher<readonly number[] | null> {
  const contextGlobals = { match: (): readonly number[] => [] };
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  const context = createContext(contextGlobals);
  const script = new Script("match()");
  return (lines) => {
    contextGlobals.match = () => findMatches(lines);
    try {
      return script.runInContext(context, { timeout: MATCH_TIMEOUT_MS });
    } catch (error) {
      if (isTimeout(error)) return null;
      throw error;
    }
  };
}

/** The error comes from another context, so `instanceof Error` fails. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
