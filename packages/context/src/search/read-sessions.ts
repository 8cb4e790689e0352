/** Reads the lines of a session file that are not indexed yet, in batches. Damaged lines are skipped; an incomplete last line is read later. */

import type { Header } from "../entry.ts";
import { type LineRules, readLine } from "../format/read-line.ts";
import { findHeader } from "../format/session-file.ts";
import { splitLines } from "../format/split-lines.ts";
import type { JsonObject } from "../json.ts";
import type { OpenFile } from "../node/files.ts";
import { decodeUtf8Native, readLinePrefix, readLines } from "../node/jsonl/read-lines.ts";
import type { Checksum } from "../runtime.ts";
import type { Redaction } from "../session/session.ts";
import type { FormatLimits } from "../settings.ts";
import { fileTerm, folderTerm, SUMMARY_TERM, toIndexText, toolTerm } from "./query.ts";
import { extractSearchableText } from "./searchable-text.ts";
import type { ReadStoredOutput } from "./stored-output.ts";
import type { NewIndexEntry } from "./tables.ts";

export interface SessionLine {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly hasLineEnd: boolean;
  readonly isOverlong?: boolean;
}

export interface SessionFileHead {
  readonly header: Header | null;
  readonly rules: LineRules;
  /** Whether the file is UTF-8 with LF, so that its lines can be streamed. */
  readonly isPlain: boolean;
}

export interface SessionReadRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

/** Reads the header of a session file and how to read its lines. */
export function readSessionFileHead(file: OpenFile, rules: SessionReadRules): SessionFileHead {
  const buffer = Buffer.allocUnsafe(INDEX_HEAD_BYTES);
  const head = buffer.subarray(0, file.read(buffer, 0));
  const { lines, damage } = splitLines(head);
  const { header, isPithFormat: ours } = findHeader(lines.slice(0, MAX_HEADER_LINES), rules);
  return {
    header,
    rules: { ...rules, isPithFormat: ours, decode: decodeUtf8Native },
    isPlain: damage.length === 0 && head[0] !== BOM_FIRST_BYTE,
  };
}

/** Reads lines from the one that starts at `start`; the last one may be incomplete. */
function* readSessionLines(
  file: OpenFile,
  { isPlain, rules }: SessionFileHead,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<SessionLine> {
  if (isPlain && rules.limits) return yield* readLines(file, { start, end, limits: rules.limits });
  const bytes = Buffer.allocUnsafe(end - start);
  for (const line of splitLines(bytes.subarray(0, file.read(bytes, start))).lines)
    yield { ...line, offset: start + line.offset };
}

/** The position of a line in its file. */
export interface LineLocation {
  readonly offset: number;
  readonly length: number;
}

/** Reads one line by its position; null if no line starts there any more. */
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
  /** The offset up to which the file was read. */
  readonly covered: number;
}

export interface IndexSource {
  readonly file: OpenFile;
  readonly fileHead: SessionFileHead;
  readonly start: number;
  readonly end: number;
  /** The file's modification time, for lines without a timestamp. */
  readonly modified: number;
  /** The id of its folder. */
  readonly folder: number;
  /** The id of the file in the index. */
  readonly fileId: number;
  readonly redaction: Redaction;
  readonly readOutput: ReadStoredOutput;
}

/** Reads new entries in batches that are small enough for one step; the last batch may be empty. */
export function* readNewEntries(source: IndexSource): Generator<IndexBatch> {
  let entries: NewIndexEntry[] = [];
  let [covered, from, chars] = [source.start, source.start, 0];
  // Blank lines are not returned; those after the last line must not be read again next time.
  let end = endsWithNewline(source) ? source.end : 0;
  for (const line of readSessionLines(source.file, source.fileHead, source)) {
    if (!line.hasLineEnd) {
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

function toIndexEntry(line: SessionLine, source: IndexSource): NewIndexEntry | null {
  const { fileHead, modified, folder, fileId } = source;
  const value = parseSearchableLine(line, fileHead);
  const content = value && extractSearchableText(value, source);
  if (!value || !content) return null;
  const isSummary = content.kind === "compaction" || content.kind === "branch_summary";
  const marks = [
    folderTerm(folder),
    fileTerm(fileId),
    ...new Set(content.tools.map(toolTerm)),
    ...(isSummary ? [SUMMARY_TERM] : []),
  ];
  const indexText = [toIndexText(content.text), ...marks].join(" ");
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

function parseSearchableLine({ bytes, isOverlong }: SessionLine, { rules }: SessionFileHead): JsonObject | null {
  const prefix = readLinePrefix(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (isOverlong || (prefix && (KINDS_WITHOUT_TEXT.has(prefix.kind) || prefix.role === "system"))) return null;
  const result = readLine(bytes, rules);
  return result.type === "intact" ? result.value : null;
}

// A timestamp in the future would make an entry the newest forever.
function entryTime({ timestamp, message }: JsonObject, modified: number): number {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number(Object(message).timestamp);
  return time >= 0 && time <= modified + DAY_MS ? Math.floor(time) : Math.floor(modified);
}

const DAY_MS = 86_400_000;
const BATCH_CHARS = 64 * 1024;
const BATCH_BYTES = 1024 * 1024;
/** Kinds without searchable text; their lines are not parsed. */
const KINDS_WITHOUT_TEXT: ReadonlySet<string> = new Set([
  "session",
  "context_edit",
  "model_change",
  "thinking_level_change",
  "active_tools_change",
  "usage",
  "custom",
]);
