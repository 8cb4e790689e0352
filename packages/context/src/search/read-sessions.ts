/** Reads the lines of a session file that the index lacks, in batches. A damaged line is skipped; a torn end waits. */

import type { Header } from "../entry.ts";
import { type JsonObject, type LineRules, readLine } from "../format/read-line.ts";
import { findHeader } from "../format/session-file.ts";
import { splitLines } from "../format/split-lines.ts";
import type { OpenFile } from "../node/files.ts";
import { decode, forwards, peek } from "../node/jsonl/read-lines.ts";
import type { Checksum } from "../runtime.ts";
import type { Redaction } from "../session/session.ts";
import type { FormatLimits } from "../settings.ts";
import { indexable, placeWord } from "./query.ts";
import { searchable } from "./searchable-text.ts";
import type { Addition } from "./tables.ts";

export interface SessionLine {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly ended: boolean;
  readonly overlong?: boolean;
}

export interface Beginning {
  readonly header: Header | null;
  readonly rules: LineRules;
  /** In UTF-8 with LF, so that lines can be taken one by one. */
  readonly isPlain: boolean;
}

export interface ReadingRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export function beginningOf(file: OpenFile, rules: ReadingRules): Beginning {
  const into = Buffer.allocUnsafe(HEAD);
  const head = into.subarray(0, file.read(into, 0));
  const { lines, damage } = splitLines(head);
  const { header, ours } = findHeader(lines.slice(0, HEADER_WITHIN), rules);
  return { header, rules: { ...rules, ours, decode }, isPlain: damage.length === 0 && head[0] !== MARK };
}

/** From the line that begins at `start`; one that is still being written comes without its end. */
export function* linesFrom(
  file: OpenFile,
  { isPlain, rules }: Beginning,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<SessionLine> {
  if (isPlain && rules.limits) return yield* forwards(file, { start, end, limits: rules.limits });
  const bytes = Buffer.allocUnsafe(end - start);
  for (const line of splitLines(bytes.subarray(0, file.read(bytes, start))).lines)
    yield { ...line, offset: start + line.offset };
}

/** Where a line stands in its file. */
export interface LinePlace {
  readonly at: number;
  readonly length: number;
}

/** One line that was found before; null where no line begins there any more. */
export function lineAt(file: OpenFile, { isPlain }: Beginning, { at, length }: LinePlace): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(length + 2);
  const read = file.read(bytes, Math.max(0, at - 1));
  const line = bytes.subarray(at === 0 ? 0 : 1, at === 0 ? length : length + 1);
  if (!isPlain) return splitLines(line).lines[0]?.bytes ?? null;
  const isWhole = (at === 0 || bytes[0] === LINE_END) && read >= (at === 0 ? length : length + 1);
  return isWhole ? line : null;
}

const HEAD = 8 * 1024;
const HEADER_WITHIN = 5;
/** The first byte of a byte order mark. */
const MARK = 0xef;
const LINE_END = 0x0a;

export interface Batch {
  readonly additions: readonly Addition[];
  /** So far the file was read. */
  readonly covered: number;
}

export interface FileToRead {
  readonly file: OpenFile;
  readonly beginning: Beginning;
  readonly start: number;
  readonly end: number;
  /** When it was last written, for lines that do not say when they were. */
  readonly modified: number;
  /** The number of its folder. */
  readonly folder: number;
  readonly redaction: Redaction;
}

/** Each batch is small enough to be read and added at one go; the last one may be empty. */
export function* newEntries(reading: FileToRead): Generator<Batch> {
  let additions: Addition[] = [];
  let [covered, from, letters] = [reading.start, reading.start, 0];
  // Blank lines do not come; those behind the last line are not read again next time.
  let end = endsInLineEnd(reading) ? reading.end : 0;
  for (const line of linesFrom(reading.file, reading.beginning, reading)) {
    if (!line.ended) {
      end = 0;
      break;
    }
    const addition = additionOf(line, reading);
    if (addition) additions.push(addition);
    letters += addition?.letters ?? 0;
    covered = line.offset + line.length + 1;
    if (letters < BATCH_LETTERS && covered - from < BATCH_BYTES) continue;
    yield { additions, covered };
    [additions, from, letters] = [[], covered, 0];
  }
  yield { additions, covered: Math.max(covered, end) };
}

function endsInLineEnd({ file, end, beginning }: FileToRead): boolean {
  const last = Buffer.alloc(1);
  return beginning.isPlain && end > 0 && file.read(last, end - 1) === 1 && last[0] === LINE_END;
}

function additionOf(line: SessionLine, { beginning, modified, folder, redaction }: FileToRead): Addition | null {
  const value = lineValue(line, beginning);
  const found = value && searchable(value, redaction);
  if (!value || !found) return null;
  const words = `${indexable(found.text)} ${placeWord(folder)}`;
  const { offset: at, length } = line;
  return { time: timeOf(value, modified), at, length, kind: found.kind, letters: found.text.length, words };
}

function lineValue({ bytes, overlong }: SessionLine, { rules }: Beginning): JsonObject | null {
  const glimpse = peek(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (overlong || (glimpse && (WORDLESS.has(glimpse.kind) || glimpse.role === "system"))) return null;
  const reading = readLine(bytes, rules);
  return reading.type === "whole" ? reading.value : null;
}

// A time to come would make an entry the newest for ever.
function timeOf({ timestamp, message }: JsonObject, modified: number): number {
  const told = typeof timestamp === "string" ? Date.parse(timestamp) : Number(Object(message).timestamp);
  return told >= 0 && told <= modified + DAY ? Math.floor(told) : Math.floor(modified);
}

const DAY = 86_400_000;
const BATCH_LETTERS = 64 * 1024;
const BATCH_BYTES = 1024 * 1024;
/** Kinds without words to be found: nobody needs to parse them. */
const WORDLESS: ReadonlySet<string> = new Set([
  "session",
  "context_edit",
  "model_change",
  "thinking_level_change",
  "active_tools_change",
  "usage",
  "custom",
]);
