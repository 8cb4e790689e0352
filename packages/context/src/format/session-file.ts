/** Decodes, encodes and migrates session files. Any bytes can be decoded: damage is reported, never thrown. */

import type { Header, HeaderMark } from "../entry.ts";
import type { JsonObject } from "../json.ts";
import type { Checksum, Runtime } from "../runtime.ts";
import { createDamage, type Damage, type DamageKind, damageNotes } from "./damage.ts";
import { setJsonMembers } from "./edit-json-text.ts";
import { readReservedNumber, serializeEntry, setEntryNumberInLine } from "./entry-line.ts";
import { withTrailer } from "./line-checksum.ts";
import { type EntryLine, linkEntries } from "./link-entries.ts";
import {
  type CorruptLine,
  hasValidTrailer,
  type IntactLine,
  type LineRules,
  lineText,
  readRawLine,
} from "./read-line.ts";
import { type RawLine, type SplitLinesResult, splitLines } from "./split-lines.ts";
import { dropTornTail } from "./torn-tail.ts";

/** A decoded session file: header, entries and damage. */
export interface SessionFile {
  /** Null if the file has no readable header. */
  readonly header: Header | null;
  /** The line of the header without trailer, exactly as written. */
  readonly headerText: string | null;
  /** The entries in file order, with gaps for lost lines. */
  readonly lines: readonly EntryLine[];
  readonly damage: readonly Damage[];
  /** Whether the lines have trailers. */
  readonly isPithFormat: boolean;
  /** Where the intact part of the file ends; the bytes after it are torn. */
  readonly end: number;
  /** Whether the file must be rewritten before an append: an old version, another encoding, or no header on the first line. */
  readonly needsRewrite: boolean;
}

/** The version of the format that Pith writes. */
export const CURRENT_VERSION = 3;

/** Decodes a session file of any version, written by pi or Pith. */
export function decodeSession(bytes: Uint8Array, rules: Omit<LineRules, "isPithFormat">): SessionFile {
  return decodeSessionLines({ ...splitLines(bytes), size: bytes.length }, rules);
}

/** Like `decodeSession`, for a file that is already split into lines. */
export function decodeSessionLines(
  split: SplitLinesResult & { readonly size: number },
  rules: Omit<LineRules, "isPithFormat">,
): SessionFile {
  const { header, text, lineIndex: headerIndex, isPithFormat, damage } = findHeader(split.lines, rules);
  const allLines = split.lines.map((raw) => ({ raw, parsed: readRawLine(raw, { ...rules, isPithFormat }) }));
  const intact = dropTornTail(allLines, headerIndex);
  // A file in Pith format has the current version, even if its header is lost.
  const version = header ? (header.version ?? 1) : isPithFormat ? CURRENT_VERSION : 1;
  const linkOptions = {
    headerIndex,
    isPithFormat,
    requiresLinks: version > 1,
    reservedNumber: readReservedNumber(header),
  };
  const linked = linkEntries(intact.lines, linkOptions);
  const isHeaderMisplaced = damage.some(({ kind }) => kind === "no-header" || kind === "damaged-header");
  const allDamage = [...split.damage, ...damage, ...intact.damage, ...linked.damage];
  return {
    header,
    headerText: text,
    lines: linked.lines,
    damage: allDamage.sort((a, b) => a.offset - b.offset),
    isPithFormat,
    end: intact.damage.length === 0 ? split.size : lineEndOffset(intact.lines.at(-1)?.raw),
    needsRewrite: version < CURRENT_VERSION || split.damage.length > 0 || linked.hasMissingLinks || isHeaderMisplaced,
  };
}

function lineEndOffset(last: RawLine | undefined): number {
  return last ? last.offset + last.length : 0;
}

/** Whether a newer program wrote the file. Such a file can be read, but not appended to. */
export function isNewerFormat({ damage }: SessionFile): boolean {
  return damage.some(({ kind }) => kind === "future-version");
}

/** Encodes a session file from the texts of its header and lines, given without trailers. */
export function encodeSession(texts: readonly string[], checksum: Checksum): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${withTrailer(text, {}, checksum)}\n`).join(""));
}

/** Rewrites a decoded file in the current version, with trailers, and with a custom entry for each gap. */
export function migrateSession(
  { headerText, lines }: SessionFile,
  header: Header,
  checksum: Checksum,
): MigrationResult {
  const headerLine = addHeaderMark(headerText ?? JSON.stringify(header));
  const texts = lines.map((line) => serializeWithNumber(line) ?? serializeEntry(line.entry));
  return { header: JSON.parse(headerLine) as Header, bytes: encodeSession([headerLine, ...texts], checksum) };
}

/** The rewritten file and its header. */
export interface MigrationResult {
  readonly header: Header;
  readonly bytes: Uint8Array;
}

function serializeWithNumber({ entry, text }: EntryLine): string | null {
  const lineJson = text();
  return lineJson && setEntryNumberInLine(lineJson, entry.number);
}

/** Adds the `pith` mark and the current version to the text of a header. Every other byte stays. */
export function addHeaderMark(text: string): string {
  const pith = createHeaderMark(readReservedNumber(JSON.parse(text) as Header));
  return setJsonMembers(text, { version: String(CURRENT_VERSION), pith: JSON.stringify(pith) });
}

/** Where a new session belongs and comes from. */
export interface SessionOrigin {
  /** The working directory of the session. */
  readonly cwd: string;
  /** The session file that it was forked from. */
  readonly parentSession?: string;
  /** The highest entry number in that file. */
  readonly lastNumber?: number;
}

/** Creates the header of a new session. */
export function createHeader(
  { cwd, parentSession, lastNumber = 0 }: SessionOrigin,
  runtime: Pick<Runtime, "now" | "sessionId">,
): Header {
  return {
    type: "session",
    version: CURRENT_VERSION,
    id: runtime.sessionId(),
    timestamp: new Date(runtime.now()).toISOString(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    pith: createHeaderMark(lastNumber),
  };
}

function createHeaderMark(lastNumber: number): HeaderMark {
  return { format: 1, ...(lastNumber > 0 && { lastNumber }) };
}

/** The header of a file, if there is one. */
export interface FindHeaderResult {
  readonly header: Header | null;
  /** The line of the header without trailer, exactly as written. */
  readonly text: string | null;
  /** The index of the line; -1 for none. */
  readonly lineIndex: number;
  readonly isPithFormat: boolean;
  readonly damage: readonly Damage[];
}

/**
 * Finds the first header in the file, on whatever line. If the first line is damaged and no header follows, that line was the header. Its
 * content is not used; the caller derives a header from the path of the file instead.
 */
export function findHeader(lines: readonly RawLine[], rules: Omit<LineRules, "isPithFormat">): FindHeaderResult {
  let firstIntact: { readonly raw: RawLine; readonly hasTrailer: boolean } | null = null;
  let corruptFirst: { readonly raw: RawLine; readonly parsed: CorruptLine } | null = null;
  for (const [lineIndex, raw] of lines.entries()) {
    const parsed = readRawLine(raw, { ...rules, isPithFormat: true, isFormatUnknown: true });
    const headerLine = parsed.type === "intact" ? parseHeaderLine(raw, parsed) : null;
    if (headerLine?.header && lineIndex === 0 && isHeaderContradicted(headerLine.header, lines, rules.checksum))
      return toDamagedHeader(raw, "wrong-checksum", true);
    if (headerLine)
      return {
        ...headerLine,
        lineIndex,
        damage: firstIntact ? [noHeaderDamage(firstIntact.raw), ...headerLine.damage] : headerLine.damage,
      };
    if (parsed.type === "intact") firstIntact ??= { raw, hasTrailer: parsed.hasTrailer };
    // A line without a line end may be torn by a crash, but a line with a trailer is complete.
    else if (lineIndex === 0 && (raw.hasLineEnd || parsed.kind === "wrong-checksum")) corruptFirst = { raw, parsed };
    // A damaged first line followed by entries: the file has no other header.
    if (corruptFirst && firstIntact) break;
  }
  if (corruptFirst)
    return toDamagedHeader(
      corruptFirst.raw,
      corruptFirst.parsed.kind,
      firstIntact?.hasTrailer ?? corruptFirst.parsed.kind === "wrong-checksum",
    );
  return {
    header: null,
    text: null,
    lineIndex: -1,
    isPithFormat: firstIntact?.hasTrailer ?? false,
    damage: [noHeaderDamage(firstIntact?.raw ?? lines[0])],
  };
}

type HeaderLine = Omit<FindHeaderResult, "lineIndex">;

function parseHeaderLine(raw: RawLine, { value, minorDamage }: IntactLine): HeaderLine | null {
  if (!isHeader(value)) return null;
  const isPithFormat = value.pith?.format === 1;
  const kinds = [minorDamage, isFutureHeader(value) ? ("future-version" as const) : null].filter(
    (kind) => kind !== null,
  );
  return {
    header: value,
    text: lineText(raw.bytes, isPithFormat),
    isPithFormat,
    damage: kinds.map((kind) => createDamage(kind, raw)),
  };
}

/** Whether a newer program wrote the header. Such a session can be read, but not appended to. */
export function isFutureHeader({ version = 1, pith }: Header): boolean {
  const format: unknown = pith?.format;
  return version > CURRENT_VERSION || (format !== undefined && format !== 1);
}

function isHeader(value: JsonObject): value is JsonObject & Header {
  return value.type === "session" && typeof value.id === "string";
}

function isHeaderContradicted(header: Header, lines: readonly RawLine[], checksum: Checksum): boolean {
  if (!forbidsTrailers(header)) return false;
  const lineIndex = lines.findIndex(
    ({ bytes }, index) => index > 0 && (isHeaderLine(bytes) || hasValidTrailer(bytes, checksum)),
  );
  const line = lines[lineIndex];
  // Lines after a second header belong to another file.
  return line !== undefined && !isHeaderLine(line.bytes);
}

/**
 * Whether a line with a valid trailer proves that this header is damaged. A header without the `pith` mark has lines with trailers only if
 * pi forked a session of Pith, and then `parentSession` names that file.
 */
export function forbidsTrailers({ pith, parentSession }: Header): boolean {
  return pith?.format === undefined && !(typeof parentSession === "string" && parentSession.endsWith(".jsonl"));
}

function isHeaderLine(bytes: Uint8Array): boolean {
  return HEADER_START.every((byte, index) => bytes[index] === byte);
}

const HEADER_START = new TextEncoder().encode('{"type":"session",');

function toDamagedHeader(raw: RawLine, kind: DamageKind, isPithFormat: boolean): FindHeaderResult {
  return {
    header: null,
    text: null,
    lineIndex: 0,
    isPithFormat,
    damage: [createDamage("damaged-header", raw, damageNotes[kind])],
  };
}

const noHeaderDamage = (raw: RawLine | undefined): Damage => createDamage("no-header", raw);
