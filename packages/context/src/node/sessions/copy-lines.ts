/** Copies the lines of a session file with their seals, new parent offsets and, on request, without secrets. */

import { frontTexts } from "../../context/summary-parts.ts";
import type { CompactionEntry, Entry, Header } from "../../entry.ts";
import { withMembers } from "../../format/edit-json.ts";
import { entryText } from "../../format/entry-line.ts";
import { numberedText } from "../../format/entry-number.ts";
import { type Marks, sealed, sealOf } from "../../format/line-checksum.ts";
import type { Line } from "../../format/link-entries.ts";
import { lineText } from "../../format/read-line.ts";
import type { Checksum } from "../../runtime.ts";
import { asItIs, type Redaction } from "../../session/session.ts";
import { textTokens } from "../../tokens/estimate-tokens.ts";
import type { Files, OpenFile } from "../files.ts";
import { FileLines } from "../jsonl/file-entries.ts";
import type { LineIndex } from "../jsonl/line-index.ts";
import { forwards, peek, wholeFile } from "../jsonl/read-lines.ts";
import { startWhole } from "../jsonl/rewrite.ts";
import { type SoundFile, soundFile } from "../jsonl/valid-file.ts";
import { headerFromPlace } from "../session-place.ts";
import type { HomeParts } from "./paths.ts";

/** Maps offsets of a file to its copy: one pair for every change of the distance between the two. */
export class Shifts {
  readonly #from: number[] = [];
  readonly #by: number[] = [];

  /** A line that begins here in the file begins there in the copy; told in file order. */
  add(from: number, to: number): void {
    if (this.#by.at(-1) === to - from) return;
    this.#from.push(from);
    this.#by.push(to - from);
  }

  /** Where a line that began here begins now; what lies before the first line stays. */
  at(from: number): number {
    let [low, high] = [0, this.#from.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#from[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    return from + (this.#by[low - 1] ?? 0);
  }
}

export interface CopiedLines {
  /** The header's line, without seal. */
  readonly header: string;
  readonly lines: Iterable<SourceLine>;
  readonly checksum: Checksum;
  /** What becomes of the text of a line; it stays, unless said. */
  readonly change?: (text: string) => string;
}

/** Each with its line end. */
export function* copiedLines({ header, lines, checksum, change }: CopiedLines): Generator<Uint8Array> {
  const shifts = new Shifts();
  let at = 0;
  const ended = (line: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([line, LINE_END]);
    at += bytes.length;
    return bytes;
  };
  yield ended(Buffer.from(sealed(header, {}, checksum)));
  for (const line of lines) {
    shifts.add(line.offset, at);
    yield ended(asBefore(line, change) ?? Buffer.from(sealedAnew(line, { shifts, checksum, change })));
  }
}

/** A seal sums up its own line only, so a line that names no place and stays as it is is copied byte for byte; null for all others. */
function asBefore({ sealed: asWritten, marks, text }: SourceLine, change: CopiedLines["change"]): Uint8Array | null {
  if (!asWritten || marks.up !== undefined || marks.run !== undefined) return null;
  return !change || isSame(text(), change) ? asWritten : null;
}

function isSame(text: string, change: (text: string) => string): boolean {
  return change(text) === text;
}

interface Anew {
  readonly shifts: Shifts;
  readonly checksum: Checksum;
  readonly change: CopiedLines["change"];
}

function sealedAnew({ text, marks }: SourceLine, { shifts, checksum, change = same }: Anew): string {
  return sealed(change(text()), moved(marks, shifts), checksum);
}

const same = (text: string): string => text;

// The copy is on the disk before anybody sees it: no line of it has anything to wait for.
function moved({ up, batch }: SourceLine["marks"], shifts: Shifts): SourceLine["marks"] {
  return { ...(up !== undefined && { up: shifts.at(up) }), ...(batch && { batch }) };
}

const LINE_END = Buffer.from("\n");

export interface Source {
  readonly header: Header;
  /** Without seal, exactly as written. */
  readonly headerText: string;
  /** Whether the lines are all of the file: nothing in it is damaged or torn off. */
  readonly isWhole: boolean;
  lines(): Iterable<SourceLine>;
}

export interface SourceLine {
  readonly offset: number;
  /** As they stand in the file; good until the next line is asked for. Null where the line must be written anew. */
  readonly sealed: Uint8Array | null;
  readonly marks: Marks;
  /** Without seal. */
  text(): string;
  /** The entry's number, on the line or not; 0 for none. */
  readonly number: number;
}

/** With their numbers on them: in the copy the place of a line is no longer what gives it its number. */
export function* numberedLines({ lines }: Source): Generator<SourceLine> {
  for (const line of lines()) yield hasNumber(line) ? line : withNumber(line);
}

function hasNumber({ sealed: asWritten, number }: SourceLine): boolean {
  if (asWritten === null || number === 0) return asWritten !== null;
  return peek(Buffer.from(asWritten.buffer, asWritten.byteOffset, asWritten.byteLength))?.number === number;
}

function withNumber(line: SourceLine): SourceLine {
  return { ...line, sealed: null, text: () => numberedText(line.text(), line.number || undefined) };
}

/**
 * Works also while another process writes the file. A sound file is never held whole; one that is not is read with care, and what was lost
 * is noted in its place.
 */
export async function sourceLines(
  file: OpenFile,
  { path, files, ports, limits }: Required<HomeParts> & { readonly path: string },
): Promise<Source> {
  const sound = soundFile(file, ports.checksum, limits);
  const index = sound && (await completeIndex(sound));
  if (sound && index) return soundSource(sound, index);
  const { header, headerText, lines, ours } = wholeFile(file, { checksum: ports.checksum, limits });
  const found = header ?? headerFromPlace(path, { files, ours });
  return {
    header: found,
    headerText: headerText ?? JSON.stringify(found),
    isWhole: false,
    lines: () => lines.map(carefulLine),
  };
}

function carefulLine({ entry, text }: Line): SourceLine {
  return { offset: 0, sealed: null, marks: {}, text: () => text() ?? entryText(entry), number: entry.number ?? 0 };
}

/** Null where a line is not sound. */
async function completeIndex(sound: SoundFile): Promise<LineIndex | null> {
  const lines = new FileLines(sound);
  const looking = lines.complete();
  for (let step = looking.next(); ; step = looking.next()) {
    if (step.done) return step.value ? lines.index.index : null;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function soundSource(sound: SoundFile, index: LineIndex): Source {
  const { file, header, rules, start, damage } = sound;
  const first = Buffer.allocUnsafe(start - 1);
  file.read(first, 0);
  return {
    header,
    headerText: lineText(first, rules.ours),
    isWhole: damage.length === 0,
    lines: () => soundLines(sound, index),
  };
}

function* soundLines({ file, rules, start, end, limits }: SoundFile, index: LineIndex): Generator<SourceLine> {
  let row = 0;
  for (const { bytes, offset } of forwards(file, { start, end, limits })) {
    const seal = rules.ours ? sealOf(bytes) : null;
    const text = (): string => lineText(bytes, rules.ours);
    yield { offset, sealed: seal ? bytes : null, marks: seal?.marks ?? {}, text, number: index.number(row) };
    row++;
  }
}

/** Writes in large pieces, with a pause after each; the file is there whole or not at all. Each line with its line end. */
export async function writeCopy(path: string, lines: Iterable<Uint8Array>, files: Files): Promise<void> {
  const file = startWhole(path, files);
  try {
    let pieces: Uint8Array[] = [];
    let held = 0;
    for (const line of lines) {
      pieces.push(line);
      held += line.length;
      if (held < PIECE) continue;
      file.add(Buffer.concat(pieces));
      pieces = [];
      held = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    file.add(Buffer.concat(pieces));
    file.keep();
  } finally {
    file.drop();
  }
}

const PIECE = 1024 * 1024;

/** Only the members that differ are written anew; every other byte stays. `text` is the line of the entry as it was. */
export function changedText(text: string, before: Entry, after: Entry): string {
  if (before === after) return text;
  const members = Object.entries(after) as [keyof Entry, unknown][];
  const changed = members.filter(([name, value]) => before[name] !== value);
  return withMembers(text, Object.fromEntries(changed.map(([name, value]) => [name, JSON.stringify(value)])));
}

/** The very same entry where there is nothing to hide. */
export function redactedEntry(entry: Entry, redaction: Redaction): Entry {
  // It may come from a file that somebody wrote by hand.
  const hasFront = entry.type === "compaction" && typeof entry.summary === "string";
  return redaction.redacted(hasFront ? withoutSecrets(entry, redaction) : entry);
}

// A summary is taken apart by the lengths of its parts, so each part is redacted on its own.
function withoutSecrets(entry: CompactionEntry, redaction: Redaction): CompactionEntry {
  const texts = frontTexts(entry).map(({ part, text }) => ({ part, before: text, text: redaction.redacted(text) }));
  if (texts.every(({ before, text }) => before === text)) return entry;
  const front = texts.map(({ part, before, text }) =>
    before === text ? part : { ...part, length: text.length, tokens: textTokens(text) },
  );
  const details = entry.details as { readonly pith: object };
  return {
    ...entry,
    summary: texts.map(({ text }) => text).join(""),
    details: { ...details, pith: { ...details.pith, front } },
  };
}

/** The very same text where there is nothing to hide. */
export function redactedText(text: string, redaction: Redaction): string {
  if (redaction === asItIs) return text;
  // As it stands in the file, so that what we do not know of it is looked at too.
  const value = JSON.parse(text) as Entry;
  return changedText(text, value, redactedEntry(value, redaction));
}
