/** Reads the lines of a session file that the index lacks, in batches. A damaged line is skipped; a torn end waits. */

import type { Header } from "../entry.ts";
import { type LineRules, readLine } from "../format/read-line.ts";
import { findHeader } from "../format/session-file.ts";
import { splitLines } from "../format/split-lines.ts";
import type { JsonObject } from "../json.ts";
import type { OpenFile } from "../node/files.ts";
import { decode, readLinePrefix, readLines } from "../node/jsonl/read-lines.ts";
import type { Checksum } from "../runtime.ts";
import type { Redaction } from "../session/session.ts";
import type { FormatLimits } from "../settings.ts";
import { folderTerm, toIndexText } from "./query.ts";
import { extractSearchableText } from "./searchable-text.ts";
import type { NewIndexEntry } from "./tables.ts";

export interface SessionLine {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly ended: boolean;
  readonly overlong?: boolean;
}

export interface SessionFileHead {
  readonly header: Header | null;
  readonly rules: LineRules;
  /** In UTF-8 with LF, so that lines can be taken one by one. */
  readonly isPlain: boolean;
}

export interface SessionReadRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export function readSessionFileHead(file: OpenFile, rules: SessionReadRules): SessionFileHead {
  const buffer = Buffer.allocUnsafe(INDEX_HEAD_BYTES);
  const head = buffer.subarray(0, file.read(buffer, 0));
  const { lines, damage } = splitLines(head);
  const { header, isPithFormat: ours } = findHeader(lines.slice(0, MAX_HEADER_LINES), rules);
  return {
    header,
    rules: { ...rules, isPithFormat: ours, decode },
    isPlain: damage.length === 0 && head[0] !== BOM_FIRST_BYTE,
  };
}

/** From the line that begins at `start`; one that is still being written comes without its end. */
export function* readSessionLines(
  file: OpenFile,
  { isPlain, rules }: SessionFileHead,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<SessionLine> {
  if (isPlain && rules.limits) return yield* readLines(file, { start, end, limits: rules.limits });
  const bytes = Buffer.allocUnsafe(end - start);
  for (const line of splitLines(bytes.subarray(0, file.read(bytes, start))).lines)
    yield { ...line, offset: start + line.offset };
}

/** Where a line stands in its file. */
export interface LineLocation {
  readonly offset: number;
  readonly length: number;
}

/** One line that was found before; null where no line begins there any more. */
export function readLineBytes(
  file: OpenFile,
  { isPlain }: SessionFileHead,
  { offset, length }: LineLocation,
): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(length + 2);
  const read = file.read(bytes, Math.max(0, offset - 1));
  const line = bytes.subarray(offset === 0 ? 0 : 1, offset === 0 ? length : length + 1);
  if (!isPlain) return splitLines(line).lines[0]?.bytes ?? null;
  const isWhole = (offset === 0 || bytes[0] === LINE_FEED) && read >= (offset === 0 ? length : length + 1);
  return isWhole ? line : null;
}

const INDEX_HEAD_BYTES = 8 * 1024;
const MAX_HEADER_LINES = 5;
/** The first byte of a byte order mark. */
const BOM_FIRST_BYTE = 0xef;
const LINE_FEED = 0x0a;

export interface IndexBatch {
  readonly entries: readonly NewIndexEntry[];
  /** So far the file was read. */
  readonly covered: number;
}

export interface IndexSource {
  readonly file: OpenFile;
  readonly fileHead: SessionFileHead;
  readonly start: number;
  readonly end: number;
  /** When it was last written, for lines that do not say when they were. */
  readonly modified: number;
  /** The number of its folder. */
  readonly folder: number;
  readonly redaction: Redaction;
}

/** Each batch is small enough to be read and added at one go; the last one may be empty. */
export function* readNewEntries(source: IndexSource): Generator<IndexBatch> {
  let entries: NewIndexEntry[] = [];
  let [covered, from, chars] = [source.start, source.start, 0];
  // Blank lines do not come; those behind the last line are not read again next time.
  let end = endsWithNewline(source) ? source.end : 0;
  for (const line of readSessionLines(source.file, source.fileHead, source)) {
    if (!line.ended) {
      end = 0;
      break;
    }
    const entry = toIndexEntry(line, source);
    if (entry) entries.push(entry);
    chars += entry?.chars ?? 0;
    covered = line.offset + line.length + 1;
    if (chars < BATCH_CHARS && covered - from < BATCH_BYTES) continue;
    yield { entries, covered };
    [entries, from, chars] = [[], covered, 0];
  }
  yield { entries, covered: Math.max(covered, end) };
}

function endsWithNewline({ file, end, fileHead }: IndexSource): boolean {
  const last = Buffer.alloc(1);
  return fileHead.isPlain && end > 0 && file.read(last, end - 1) === 1 && last[0] === LINE_FEED;
}

function toIndexEntry(line: SessionLine, { fileHead, modified, folder, redaction }: IndexSource): NewIndexEntry | null {
  const value = parseSearchableLine(line, fileHead);
  const content = value && extractSearchableText(value, redaction);
  if (!value || !content) return null;
  const indexText = `${toIndexText(content.text)} ${folderTerm(folder)}`;
  const { offset, length } = line;
  return {
    time: entryTime(value, modified),
    offset,
    length,
    kind: content.kind,
    chars: content.text.length,
    indexText,
  };
}

function parseSearchableLine({ bytes, overlong }: SessionLine, { rules }: SessionFileHead): JsonObject | null {
  const prefix = readLinePrefix(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (overlong || (prefix && (KINDS_WITHOUT_TEXT.has(prefix.kind) || prefix.role === "system"))) return null;
  const result = readLine(bytes, rules);
  return result.type === "whole" ? result.value : null;
}

// A time to come would make an entry the newest for ever.
function entryTime({ timestamp, message }: JsonObject, modified: number): number {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number(Object(message).timestamp);
  return time >= 0 && time <= modified + DAY_MS ? Math.floor(time) : Math.floor(modified);
}

const DAY_MS = 86_400_000;
const BATCH_CHARS = 64 * 1024;
const BATCH_BYTES = 1024 * 1024;
/** Kinds without words to be found: nobody needs to parse them. */
const KINDS_WITHOUT_TEXT: ReadonlySet<string> = new Set([
  "session",
  "context_edit",
  "model_change",
  "thinking_level_change",
  "active_tools_change",
  "usage",
  "custom",
]);
