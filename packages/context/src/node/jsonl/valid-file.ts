/** Reads the header and the end of a session file without reading all of it, and finds the ancestors of a line. */

import type { Entry, Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { entryAlone } from "../../format/entry-line.ts";
import { type LineRules, readLine } from "../../format/read-line.ts";
import { CURRENT_VERSION, findHeader, forbidsSeals } from "../../format/session-file.ts";
import { type ReadLine, runStart, type Tail, withoutTornTail } from "../../format/torn-tail.ts";
import type { Checksum } from "../../runtime.ts";
import { type FormatLimits, formatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";
import { Backwards, decode, LONGEST_HEAD, peek } from "./read-lines.ts";

export interface SoundFile {
  readonly file: OpenFile;
  readonly header: Header;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
  /** Where the first line behind the header begins. */
  readonly start: number;
  /** Where the last whole line ends, its line end included; what follows was torn. */
  readonly end: number;
  /** Whether that line has a line end. */
  readonly ended: boolean;
  /** The last entry; null for none. */
  readonly leaf: string | null;
  /** Their lines are not counted. */
  readonly damage: readonly Damage[];
}

/** Null for a file that must be read whole: of an old or newer version, in another encoding, damaged at its ends. */
export function soundFile(file: OpenFile, checksum: Checksum, limits: FormatLimits = formatLimits): SoundFile | null {
  const { size } = file.stat();
  const first = firstLine(file, size);
  if (first === null || first[0] !== OPEN_BRACE || first[1] === 0) return null;
  const raw = { bytes: first, offset: 0, length: first.length, number: 1, ended: true };
  const { header, ours, damage } = findHeader([raw], { checksum, limits });
  if (!header || damage.length > 0 || header.version !== CURRENT_VERSION) return null;
  const rules = { ours, checksum, limits, decode, isPlain: forbidsSeals(header) };
  const start = first.length + 1;
  const tail = tailOf(file, { rules, limits, start, size });
  return tail && { file, header, rules, limits, start, ...tail };
}

interface Body {
  readonly rules: LineRules;
  readonly limits: FormatLimits;
  readonly start: number;
  readonly size: number;
}

function tailOf(file: OpenFile, body: Body): Pick<SoundFile, "end" | "ended" | "leaf" | "damage"> | null {
  const tail = wholeTail(file, body);
  if (tail === null) return null;
  const { damage } = tail;
  const whole = tail.lines.at(-1);
  if (!whole) return { end: damage.length > 0 ? body.start : body.size, ended: true, leaf: null, damage };
  const entry = whole.reading.type === "whole" ? entryAlone(whole.reading.value) : null;
  const isSound = tail.lines.every(({ reading }) => reading.type === "whole" && !reading.blemish);
  if (!isSound || !entry || entry.type === "gap") return null;
  const { offset, length, ended } = whole.raw;
  // Blank bytes behind the last line stay where they are.
  const end = damage.length > 0 ? offset + length + (ended ? 1 : 0) : body.size;
  return { end, ended, leaf: entry.id, damage };
}

// As far back as what was written at once may reach: a batch, lines that did not wait for the disk, and the line before them.
function wholeTail(file: OpenFile, { rules, limits, start, size }: Body): Tail | null {
  const backwards = new Backwards(file, { start, end: size, limits });
  let lines: readonly ReadLine[] = [];
  // What was not synced is 64 lines at most; a file that says otherwise is read whole.
  for (let round = 0; round < MOST_ROUNDS && lines.length < MOST_LINES; round++) {
    const more = linesToABeginning(backwards, rules);
    lines = more.concat(lines);
    if (backwards.failed) return null;
    const tail = withoutTornTail(lines, -1);
    const last = tail.lines.at(-1);
    const reaches = last && (lines[0]?.raw.offset ?? 0) < (runStart(tail.lines) ?? last.raw.offset);
    if (reaches || more.length === 0) return tail;
  }
  return null;
}

/** Upwards to a line with which something begins, a batch or itself; in file order. */
function linesToABeginning(backwards: Backwards, rules: LineRules): ReadLine[] {
  const lines: ReadLine[] = [];
  for (let line = backwards.next(); line && lines.length < MOST_LINES; line = backwards.next()) {
    const reading = readLine(line.bytes, rules);
    lines.push({ raw: { ...line, bytes: Buffer.from(line.bytes), length: line.bytes.length, number: 0 }, reading });
    if (reading.type === "whole" && (reading.marks.batch?.[0] ?? 1) <= 1) break;
  }
  return lines.reverse();
}

function firstLine(file: OpenFile, size: number): Buffer | null {
  for (let length = FIRST_READ; ; length *= 4) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size, LONGEST_HEADER));
    const end = bytes.subarray(0, file.read(bytes, 0)).indexOf(LINE_END);
    if (end !== -1) return bytes.subarray(0, end);
    if (length >= size || length >= LONGEST_HEADER) return null;
  }
}

const OPEN_BRACE = 0x7b;
const LINE_END = 0x0a;
const FIRST_READ = 4096;
const MOST_ROUNDS = 200;
const MOST_LINES = 20_000;
const LONGEST_HEADER = 1024 * 1024;

/**
 * Reads backwards from a line to its root; needs no index as long as every line is sound. Yields the entries; ends early with `astray` set
 * where a line is damaged or a parent is not above its child.
 */
export class Ascent {
  astray = false;
  readonly #file: SoundFile;
  #lines: Backwards;

  /** `end` is where the first line ends. */
  constructor(file: SoundFile, end: number) {
    this.#file = file;
    this.#lines = this.#from(end);
  }

  *entries(): Generator<Entry> {
    let wanted: string | null = null;
    // Mostly the line before is the parent. Only where it was not, the next ones are looked at before they are read.
    let strays = false;
    for (let line = this.#lines.next(); line; line = this.#lines.next()) {
      if (strays && isAnother(line.bytes, wanted)) continue;
      const reading = readLine(line.bytes, this.#file.rules);
      const entry = reading.type === "whole" && !reading.blemish ? entryAlone(reading.value) : null;
      if (reading.type === "damaged" || !entry) break;
      strays = wanted !== null && entry.id !== wanted;
      if (strays) continue;
      yield entry;
      if (entry.parentId === null) return;
      wanted = entry.parentId;
      if (reading.marks.up !== undefined) this.#jump(reading.marks.up, wanted, line.offset);
    }
    this.astray = true;
  }

  // A hint is only believed if the parent is there; otherwise every line above is looked at.
  #jump(offset: number, id: string, below: number): void {
    if (offset < this.#file.start || offset >= below) return;
    const head = Buffer.alloc(Math.min(LONGEST_HEAD, below - offset));
    this.#file.file.read(head, offset);
    if (peek(head)?.id !== id) return;
    const end = lineEnd(this.#file, offset, below);
    if (end !== null) this.#lines = this.#from(end);
  }

  #from(end: number): Backwards {
    const { file, start, limits } = this.#file;
    return new Backwards(file, { start, end, limits });
  }
}

function isAnother(line: Buffer, wanted: string | null): boolean {
  const head = peek(line);
  return head !== null && head.id !== wanted;
}

function lineEnd({ file }: SoundFile, offset: number, below: number): number | null {
  for (let at = offset; at < below; at += STEP) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, below - at));
    const found = chunk.subarray(0, file.read(chunk, at)).indexOf(LINE_END);
    if (found !== -1) return at + found;
  }
  return null;
}

const STEP = 64 * 1024;

/** Damage with line numbers as an editor shows them. Counted only on request: opening a file counts no lines. */
export function numbered(
  { file, start }: Pick<SoundFile, "file" | "start">,
  damage: readonly Damage[],
): readonly Damage[] {
  let line = 2;
  let at = start;
  const inOrder = damage.toSorted((one, other) => one.offset - other.offset);
  return inOrder.map((each) => {
    line += lineEnds(file, at, each.offset);
    at = each.offset;
    return { ...each, line };
  });
}

function lineEnds(file: OpenFile, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += READ_STEP) {
    const chunk = Buffer.alloc(Math.min(READ_STEP, end - at));
    file.read(chunk, at);
    for (let found = chunk.indexOf(LINE_END); found !== -1; found = chunk.indexOf(LINE_END, found + 1)) count++;
  }
  return count;
}

const READ_STEP = 1024 * 1024;
