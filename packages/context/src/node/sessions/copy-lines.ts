/** Copies the lines of a session file: with new trailers and parent offsets and, on request, without secrets. */

import { readSummaryPartTexts } from "../../context/read-summary-parts.ts";
import type { CompactionEntry, Entry, Header } from "../../entry.ts";
import { setJsonMembers } from "../../format/edit-json-text.ts";
import { serializeEntry, setEntryNumberInLine } from "../../format/entry-line.ts";
import { type LineMarks, readTrailer, withTrailer } from "../../format/line-checksum.ts";
import { lineText } from "../../format/read-line.ts";
import type { Checksum } from "../../runtime.ts";
import { noRedaction, type Redaction } from "../../session/session.ts";
import { textTokens } from "../../tokens/estimate-tokens.ts";
import type { Files, OpenFile } from "../files.ts";
import { FileEntries } from "../jsonl/file-entries.ts";
import type { LineIndex } from "../jsonl/line-index.ts";
import { headerFromPath, readValidFile, type ValidFile } from "../jsonl/read-header-and-tail.ts";
import { decodeWholeFile, readLinePrefix, readLines } from "../jsonl/read-lines.ts";
import { startAtomicFile } from "../jsonl/rewrite.ts";
import { yieldToEventLoop } from "../runtime.ts";
import type { SessionFileOptions } from "./paths.ts";

export interface RewriteLinesOptions {
  /** The header line, without trailer. */
  readonly header: string;
  readonly lines: Iterable<SourceLine>;
  readonly checksum: Checksum;
  /** Changes the text of a line; default: no change. */
  readonly transform?: (text: string) => string;
}

/** Writes the lines of a copy, each with its line end. */
export function* rewriteLines({ header, lines, checksum, transform }: RewriteLinesOptions): Generator<Uint8Array> {
  const offsets = new OffsetMap();
  let offset = 0;
  const withLineEnd = (line: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([line, LINE_END_BUFFER]);
    offset += bytes.length;
    return bytes;
  };
  yield withLineEnd(Buffer.from(withTrailer(header, {}, checksum)));
  for (const line of lines) {
    offsets.add(line.offset, offset);
    yield withLineEnd(
      reuseLineBytes(line, transform) ?? Buffer.from(rewriteLine(line, { offsets, checksum, transform })),
    );
  }
}

/** A checksum covers only its own line, so an unchanged line without offsets is copied byte for byte; null for any other line. */
function reuseLineBytes(
  { originalBytes, marks, text }: SourceLine,
  transform: RewriteLinesOptions["transform"],
): Uint8Array | null {
  if (!originalBytes || marks.up !== undefined || marks.run !== undefined) return null;
  return !transform || isUnchangedText(text(), transform) ? originalBytes : null;
}

function isUnchangedText(text: string, transform: (text: string) => string): boolean {
  return transform(text) === text;
}

interface LineRewriteContext {
  readonly offsets: OffsetMap;
  readonly checksum: Checksum;
  readonly transform: RewriteLinesOptions["transform"];
}

function rewriteLine(
  { text, marks }: SourceLine,
  { offsets, checksum, transform = keepText }: LineRewriteContext,
): string {
  return withTrailer(transform(text()), remapMarks(marks, offsets), checksum);
}

const keepText = (text: string): string => text;

// `run` is dropped: it marks lines that may not be on disk yet, and the whole copy is synced before it gets its name.
function remapMarks({ up, batch }: SourceLine["marks"], offsets: OffsetMap): SourceLine["marks"] {
  return { ...(up !== undefined && { up: offsets.toCopyOffset(up) }), ...(batch && { batch }) };
}

const LINE_END_BUFFER = Buffer.from("\n");

/** Maps line offsets in a file to offsets in its copy. Stores one pair per change of the difference between the two. */
class OffsetMap {
  readonly #sourceOffsets: number[] = [];
  readonly #deltas: number[] = [];

  /** Records the offset of a line in the file and in the copy; call it in file order. */
  add(sourceOffset: number, copyOffset: number): void {
    if (this.#deltas.at(-1) === copyOffset - sourceOffset) return;
    this.#sourceOffsets.push(sourceOffset);
    this.#deltas.push(copyOffset - sourceOffset);
  }

  /** The offset of a line in the copy; offsets before the first line stay the same. */
  toCopyOffset(sourceOffset: number): number {
    let [low, high] = [0, this.#sourceOffsets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sourceOffsets[middle] ?? 0) <= sourceOffset) low = middle + 1;
      else high = middle;
    }
    return sourceOffset + (this.#deltas[low - 1] ?? 0);
  }
}

export interface LineSource {
  readonly header: Header;
  /** The header line as written, without trailer. */
  readonly headerText: string;
  /** Whether the file contains no damaged or torn line. */
  readonly isComplete: boolean;
  lines(): Iterable<SourceLine>;
}

export interface SourceLine {
  readonly offset: number;
  /** The bytes in the file, valid until the next line is read. Null if the line must be written again. */
  readonly originalBytes: Uint8Array | null;
  readonly marks: LineMarks;
  /** Without trailer. */
  text(): string;
  /** The entry's number, whether it is written on the line or not; 0 for none. */
  readonly number: number;
}

/** Writes the entry numbers onto the lines: in a copy the position of a line no longer gives its number. */
export function* addEntryNumbers({ lines }: LineSource): Generator<SourceLine> {
  for (const line of lines()) yield hasWrittenNumber(line) ? line : numberSourceLine(line);
}

function hasWrittenNumber({ originalBytes, number }: SourceLine): boolean {
  if (originalBytes === null || number === 0) return originalBytes !== null;
  return (
    readLinePrefix(Buffer.from(originalBytes.buffer, originalBytes.byteOffset, originalBytes.byteLength))?.number ===
    number
  );
}

function numberSourceLine(line: SourceLine): SourceLine {
  return { ...line, originalBytes: null, text: () => setEntryNumberInLine(line.text(), line.number || undefined) };
}

/**
 * Reads the lines of a file, even while another process writes to it. A valid file is streamed; a damaged one is read into memory and
 * repaired, with a note in place of each lost part.
 */
export async function readLineSource(
  file: OpenFile,
  { path, files, runtime, limits }: Required<SessionFileOptions> & { readonly path: string },
): Promise<LineSource> {
  const validFile = readValidFile(file, runtime.checksum, limits);
  const index = validFile && (await buildCompleteIndex(validFile));
  if (validFile && index) return createValidFileSource(validFile, index);
  const {
    header,
    headerText,
    lines,
    isPithFormat: ours,
  } = decodeWholeFile(file, { checksum: runtime.checksum, limits });
  const effectiveHeader = header ?? headerFromPath(path, { files, ours });
  return {
    header: effectiveHeader,
    headerText: headerText ?? JSON.stringify(effectiveHeader),
    isComplete: false,
    lines: () =>
      lines.map(({ entry, text }) => ({
        offset: 0,
        originalBytes: null,
        marks: {},
        text: () => text() ?? serializeEntry(entry),
        number: entry.number ?? 0,
      })),
  };
}

/** Null if a line is damaged. */
async function buildCompleteIndex(validFile: ValidFile): Promise<LineIndex | null> {
  const fileEntries = new FileEntries(validFile);
  const steps = fileEntries.completeIndex();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value ? fileEntries.index.index : null;
    await yieldToEventLoop();
  }
}

function createValidFileSource(validFile: ValidFile, index: LineIndex): LineSource {
  const { file, header, rules, start, damage } = validFile;
  const headerBytes = Buffer.allocUnsafe(start - 1);
  file.read(headerBytes, 0);
  return {
    header,
    headerText: lineText(headerBytes, rules.isPithFormat),
    isComplete: damage.length === 0,
    lines: () => readValidLines(validFile, index),
  };
}

function* readValidLines({ file, rules, start, end, limits }: ValidFile, index: LineIndex): Generator<SourceLine> {
  let row = 0;
  for (const { bytes, offset } of readLines(file, { start, end, limits })) {
    const trailer = rules.isPithFormat ? readTrailer(bytes) : null;
    const text = (): string => lineText(bytes, rules.isPithFormat);
    yield {
      offset,
      originalBytes: trailer ? bytes : null,
      marks: trailer?.marks ?? {},
      text,
      number: index.number(row),
    };
    row++;
  }
}

/** Writes a file from lines that include their line ends, in large chunks. The file appears complete or not at all. */
export async function writeCopy(path: string, lines: Iterable<Uint8Array>, files: Files): Promise<void> {
  const file = startAtomicFile(path, files);
  try {
    let chunks: Uint8Array[] = [];
    let bufferedBytes = 0;
    for (const line of lines) {
      chunks.push(line);
      bufferedBytes += line.length;
      if (bufferedBytes < WRITE_CHUNK_BYTES) continue;
      file.add(Buffer.concat(chunks));
      chunks = [];
      bufferedBytes = 0;
      await yieldToEventLoop();
    }
    file.add(Buffer.concat(chunks));
    file.commit();
  } finally {
    file.discard();
  }
}

const WRITE_CHUNK_BYTES = 1024 * 1024;

/** Changes only the members of a line that differ between two entries; every other byte stays. `text` is the line of `before`. */
export function patchEntryText(text: string, before: Entry, after: Entry): string {
  if (before === after) return text;
  const members = Object.entries(after) as [keyof Entry, unknown][];
  const changes = members.filter(([name, value]) => before[name] !== value);
  return setJsonMembers(text, Object.fromEntries(changes.map(([name, value]) => [name, JSON.stringify(value)])));
}

/** Redacts an entry; returns the same object if it contains no secret. */
function redactEntry(entry: Entry, redaction: Redaction): Entry {
  // The type is not guaranteed: another program may have written the file.
  const hasSummary = entry.type === "compaction" && typeof entry.summary === "string";
  return redaction.redact(hasSummary ? redactCompactionSummary(entry, redaction) : entry);
}

// A summary is split by the lengths of its parts, so each part is redacted on its own and its length is updated.
function redactCompactionSummary(entry: CompactionEntry, redaction: Redaction): CompactionEntry {
  const texts = readSummaryPartTexts(entry).map(({ part, text }) => ({
    part,
    before: text,
    text: redaction.redact(text),
  }));
  if (texts.every(({ before, text }) => before === text)) return entry;
  const summaryParts = texts.map(({ part, before, text }) =>
    before === text ? part : { ...part, length: text.length, tokens: textTokens(text) },
  );
  const details = entry.details as { readonly pith: object };
  return {
    ...entry,
    summary: texts.map(({ text }) => text).join(""),
    details: { ...details, pith: { ...details.pith, front: summaryParts } },
  };
}

/** Redacts the line of an entry; returns the same text if it contains no secret. */
export function redactEntryText(text: string, redaction: Redaction): string {
  if (redaction === noRedaction) return text;
  // Parsed without a schema, so that unknown members are redacted, too.
  const value = JSON.parse(text) as Entry;
  return patchEntryText(text, value, redactEntry(value, redaction));
}
