/** What a file has that the index has not: its further lines, a bit at a time. A damaged line is passed over, a torn end waits. */

import type { JsonObject } from "../../../session/codec/line/read-line.ts";
import { readLine } from "../../../session/codec/line/read-line.ts";
import type { Redaction } from "../../../session/redaction.ts";
import type { OpenFile } from "../../files/files.ts";
import { peek } from "../../jsonl/lines/peek.ts";
import { indexable, placeWord } from "../asking/words.ts";
import type { Addition } from "../keeping/entries.ts";
import { searchable } from "./searchable.ts";
import { type Beginning, linesFrom, type SessionLine } from "./session-lines.ts";

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
  for (const line of linesFrom(reading.file, reading.beginning, reading)) {
    if (!line.ended) break;
    const addition = additionOf(line, reading);
    if (addition) additions.push(addition);
    letters += addition?.letters ?? 0;
    covered = line.offset + line.length + 1;
    if (letters < BATCH_LETTERS && covered - from < BATCH_BYTES) continue;
    yield { additions, covered };
    [additions, from, letters] = [[], covered, 0];
  }
  yield { additions, covered };
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
