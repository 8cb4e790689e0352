/** Decodes and encodes session files. Any bytes give a result: what cannot be read is named, never thrown. */

import type { Header, HeaderMark } from "../entry.ts";
import type { Checksum, Ports } from "../runtime.ts";
import { type Damage, type DamageKind, damageNotes, named } from "./damage.ts";
import { withMembers } from "./edit-json.ts";
import { entryText } from "./entry-line.ts";
import { numberedText, reservedNumber } from "./entry-number.ts";
import { sealed } from "./line-checksum.ts";
import { type Line, placedLines } from "./link-entries.ts";
import {
  bearsSeal,
  type DamagedLine,
  type JsonObject,
  type LineRules,
  lineText,
  readRaw,
  type WholeLine,
} from "./read-line.ts";
import { type RawLine, type SplitFile, splitLines } from "./split-lines.ts";
import { withoutTornTail } from "./torn-tail.ts";

export interface FoundHeader {
  readonly header: Header | null;
  /** Its line without seal, exactly as written. */
  readonly text: string | null;
  /** Which of the lines it is; -1 for none. */
  readonly at: number;
  readonly ours: boolean;
  readonly damage: readonly Damage[];
}

export const CURRENT_VERSION = 3;

export interface Origin {
  /** The folder the session belongs to. */
  readonly cwd: string;
  /** The file it was forked from. */
  readonly parentSession?: string;
  /** The highest number in use there. */
  readonly lastNumber?: number;
}

/** The header of a new session of ours. */
export function newHeader(
  { cwd, parentSession, lastNumber = 0 }: Origin,
  ports: Pick<Ports, "now" | "sessionId">,
): Header {
  return {
    type: "session",
    version: CURRENT_VERSION,
    id: ports.sessionId(),
    timestamp: new Date(ports.now()).toISOString(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    pith: ourMark(lastNumber),
  };
}

function ourMark(lastNumber: number): HeaderMark {
  return { format: 1, ...(lastNumber > 0 && { lastNumber }) };
}

/**
 * The first header in the file, wherever it stands: one in the wrong place still says whose session this is. Where the first line is damaged
 * and no header follows, that line was the header. Nothing that it says is used: what the file is called and where it lies say more.
 */
export function findHeader(lines: readonly RawLine[], rules: Omit<LineRules, "ours">): FoundHeader {
  let first: { readonly raw: RawLine; readonly sealed: boolean } | null = null;
  let lost: { readonly raw: RawLine; readonly reading: DamagedLine } | null = null;
  for (const [at, raw] of lines.entries()) {
    const reading = readRaw(raw, { ...rules, ours: true, isUnsure: true });
    const found = reading.type === "whole" ? asHeader(raw, reading) : null;
    if (found?.header && at === 0 && isDisproved(found.header, lines, rules.checksum))
      return lostHeader(raw, "wrong-checksum", true);
    if (found) return { ...found, at, damage: first ? [noHeader(first.raw), ...found.damage] : found.damage };
    if (reading.type === "whole") first ??= { raw, sealed: reading.sealed };
    // Half a line is what a crash leaves; a line that ends in its seal is all there.
    else if (at === 0 && (raw.ended || reading.kind === "wrong-checksum")) lost = { raw, reading };
    // A file whose first line is lost and whose next ones are entries has no other header.
    if (lost && first) break;
  }
  if (lost) return lostHeader(lost.raw, lost.reading.kind, first?.sealed ?? lost.reading.kind === "wrong-checksum");
  return { header: null, text: null, at: -1, ours: first?.sealed ?? false, damage: [noHeader(first?.raw ?? lines[0])] };
}

type ReadHeader = Omit<FoundHeader, "at">;

function asHeader(raw: RawLine, { value, blemish }: WholeLine): ReadHeader | null {
  if (!isHeader(value)) return null;
  const format: unknown = value.pith?.format;
  const future = (value.version ?? 1) > CURRENT_VERSION || (format !== undefined && format !== 1);
  const ours = format === 1;
  const kinds = [blemish, future ? ("future-version" as const) : null].filter((kind) => kind !== null);
  return { header: value, text: lineText(raw.bytes, ours), ours, damage: kinds.map((kind) => named(kind, raw)) };
}

function lostHeader(raw: RawLine, kind: DamageKind, ours: boolean): FoundHeader {
  return { header: null, text: null, at: 0, ours, damage: [named("damaged-header", raw, damageNotes[kind])] };
}

/**
 * Whether a line whose seal holds makes it a damaged header. Such lines come into a file without our mark in one other way: pi forks ours,
 * and then its header names the file they are from.
 */
export function forbidsSeals({ pith, parentSession }: Header): boolean {
  return pith?.format === undefined && !(typeof parentSession === "string" && parentSession.endsWith(".jsonl"));
}

function isDisproved(header: Header, lines: readonly RawLine[], checksum: Checksum): boolean {
  if (!forbidsSeals(header)) return false;
  const found = lines.findIndex(({ bytes }, at) => at > 0 && (isHeaderLine(bytes) || bearsSeal(bytes, checksum)));
  const line = lines[found];
  // Behind another header, lines are of another file.
  return line !== undefined && !isHeaderLine(line.bytes);
}

function isHeaderLine(bytes: Uint8Array): boolean {
  return HEADER_START.every((byte, at) => bytes[at] === byte);
}

const HEADER_START = new TextEncoder().encode('{"type":"session",');

function isHeader(value: JsonObject): value is JsonObject & Header {
  return value.type === "session" && typeof value.id === "string";
}

const noHeader = (raw: RawLine | undefined): Damage => named("no-header", raw);

/** A decoded session file: header, entries and damage. */
export interface SessionFile {
  /** Null where the file has none that can be read. */
  readonly header: Header | null;
  /** The header's line without seal, exactly as written. */
  readonly headerText: string | null;
  /** In file order; gaps stand where lines were lost. */
  readonly lines: readonly Line[];
  readonly damage: readonly Damage[];
  /** Whether its lines carry a seal. */
  readonly ours: boolean;
  /** How many bytes count; what follows was torn. */
  readonly end: number;
  /** Whether it must be written anew before anything can be appended: an old version, another encoding, no header in front. */
  readonly outdated: boolean;
}

/** Reads a session of any version that pi or we ever wrote. */
export function decodeSession(bytes: Uint8Array, rules: Omit<LineRules, "ours">): SessionFile {
  return decodeLines({ ...splitLines(bytes), size: bytes.length }, rules);
}

/** The same, from a file that was cut into its lines already. */
export function decodeLines(split: SplitFile & { readonly size: number }, rules: Omit<LineRules, "ours">): SessionFile {
  const { header, text, at, ours, damage } = findHeader(split.lines, rules);
  const read = split.lines.map((raw) => ({ raw, reading: readRaw(raw, { ...rules, ours }) }));
  const tail = withoutTornTail(read, at);
  // Our files are of this version, also where the header no longer says so.
  const version = header ? (header.version ?? 1) : ours ? CURRENT_VERSION : 1;
  const traits = { headerAt: at, ours, linked: version > 1, reserved: reservedNumber(header) };
  const placed = placedLines(tail.lines, traits);
  const misplaced = damage.some(({ kind }) => kind === "no-header" || kind === "damaged-header");
  const all = [...split.damage, ...damage, ...tail.damage, ...placed.damage];
  return {
    header,
    headerText: text,
    lines: placed.lines,
    damage: all.sort((a, b) => a.offset - b.offset),
    ours,
    end: tail.damage.length === 0 ? split.size : endOf(tail.lines.at(-1)?.raw),
    outdated: version < CURRENT_VERSION || split.damage.length > 0 || placed.incomplete || misplaced,
  };
}

/** Whether a newer program wrote it: then it can be read, and not appended to. */
export function isNewer({ damage }: SessionFile): boolean {
  return damage.some(({ kind }) => kind === "future-version");
}

/** A whole file of ours: a header and lines, each given without seal. */
export function encodeSession(texts: readonly string[], checksum: Checksum): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${sealed(text, {}, checksum)}\n`).join(""));
}

/** The header's line with the mark of a file of ours, every other byte as it was. */
export function markedHeader(text: string): string {
  const pith = ourMark(reservedNumber(JSON.parse(text) as Header));
  return withMembers(text, { version: String(CURRENT_VERSION), pith: JSON.stringify(pith) });
}

/** A file of an older version as it is written today: ours, every line whole, what was lost noted in its place. */
export function migrated({ headerText, lines }: SessionFile, header: Header, checksum: Checksum): MigratedFile {
  const marked = markedHeader(headerText ?? JSON.stringify(header));
  const texts = lines.map((line) => numberedLine(line) ?? entryText(line.entry));
  return { header: JSON.parse(marked) as Header, bytes: encodeSession([marked, ...texts], checksum) };
}

export interface MigratedFile {
  readonly header: Header;
  readonly bytes: Uint8Array;
}

function numberedLine({ entry, text }: Line): string | null {
  const written = text();
  return written && numberedText(written, entry.number);
}

function endOf(last: RawLine | undefined): number {
  return last ? last.offset + last.length : 0;
}
