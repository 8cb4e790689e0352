/** Decodes and encodes session files. Any bytes give a result: what cannot be read is named, never thrown. */

import type { Header, HeaderMark } from "../entry.ts";
import type { JsonObject } from "../json.ts";
import type { Checksum, Runtime } from "../runtime.ts";
import { createDamage, type Damage, type DamageKind, damageNotes } from "./damage.ts";
import { setJsonMembers } from "./edit-json.ts";
import { serializeEntry } from "./entry-line.ts";
import { readReservedNumber, setEntryNumberInLine } from "./entry-number.ts";
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

export interface FindHeaderResult {
  readonly header: Header | null;
  /** Its line without seal, exactly as written. */
  readonly text: string | null;
  /** Which of the lines it is; -1 for none. */
  readonly lineIndex: number;
  readonly isPithFormat: boolean;
  readonly damage: readonly Damage[];
}

export const CURRENT_VERSION = 3;

export interface SessionOrigin {
  /** The folder the session belongs to. */
  readonly cwd: string;
  /** The file it was forked from. */
  readonly parentSession?: string;
  /** The highest number in use there. */
  readonly lastNumber?: number;
}

/** The header of a new session of ours. */
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

/**
 * The first header in the file, wherever it stands: one in the wrong place still says whose session this is. Where the first line is damaged
 * and no header follows, that line was the header. Nothing that it says is used: what the file is called and where it lies say more.
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
    // Half a line is what a crash leaves; a line that ends in its seal is all there.
    else if (lineIndex === 0 && (raw.hasLineEnd || parsed.kind === "wrong-checksum")) corruptFirst = { raw, parsed };
    // A file whose first line is lost and whose next ones are entries has no other header.
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
  const format: unknown = value.pith?.format;
  const isFutureVersion = (value.version ?? 1) > CURRENT_VERSION || (format !== undefined && format !== 1);
  const isPithFormat = format === 1;
  const kinds = [minorDamage, isFutureVersion ? ("future-version" as const) : null].filter((kind) => kind !== null);
  return {
    header: value,
    text: lineText(raw.bytes, isPithFormat),
    isPithFormat,
    damage: kinds.map((kind) => createDamage(kind, raw)),
  };
}

function toDamagedHeader(raw: RawLine, kind: DamageKind, isPithFormat: boolean): FindHeaderResult {
  return {
    header: null,
    text: null,
    lineIndex: 0,
    isPithFormat,
    damage: [createDamage("damaged-header", raw, damageNotes[kind])],
  };
}

/**
 * Whether a line whose seal holds makes it a damaged header. Such lines come into a file without our mark in one other way: pi forks ours,
 * and then its header names the file they are from.
 */
export function forbidsTrailers({ pith, parentSession }: Header): boolean {
  return pith?.format === undefined && !(typeof parentSession === "string" && parentSession.endsWith(".jsonl"));
}

function isHeaderContradicted(header: Header, lines: readonly RawLine[], checksum: Checksum): boolean {
  if (!forbidsTrailers(header)) return false;
  const lineIndex = lines.findIndex(
    ({ bytes }, index) => index > 0 && (isHeaderLine(bytes) || hasValidTrailer(bytes, checksum)),
  );
  const line = lines[lineIndex];
  // Behind another header, lines are of another file.
  return line !== undefined && !isHeaderLine(line.bytes);
}

function isHeaderLine(bytes: Uint8Array): boolean {
  return HEADER_START.every((byte, index) => bytes[index] === byte);
}

const HEADER_START = new TextEncoder().encode('{"type":"session",');

function isHeader(value: JsonObject): value is JsonObject & Header {
  return value.type === "session" && typeof value.id === "string";
}

const noHeaderDamage = (raw: RawLine | undefined): Damage => createDamage("no-header", raw);

/** A decoded session file: header, entries and damage. */
export interface SessionFile {
  /** Null where the file has none that can be read. */
  readonly header: Header | null;
  /** The header's line without seal, exactly as written. */
  readonly headerText: string | null;
  /** In file order; gaps stand where lines were lost. */
  readonly lines: readonly EntryLine[];
  readonly damage: readonly Damage[];
  /** Whether its lines carry a seal. */
  readonly isPithFormat: boolean;
  /** How many bytes count; what follows was torn. */
  readonly end: number;
  /** Whether it must be written anew before anything can be appended: an old version, another encoding, no header in front. */
  readonly needsRewrite: boolean;
}

/** Reads a session of any version that pi or we ever wrote. */
export function decodeSession(bytes: Uint8Array, rules: Omit<LineRules, "isPithFormat">): SessionFile {
  return decodeSessionLines({ ...splitLines(bytes), size: bytes.length }, rules);
}

/** The same, from a file that was cut into its lines already. */
export function decodeSessionLines(
  split: SplitLinesResult & { readonly size: number },
  rules: Omit<LineRules, "isPithFormat">,
): SessionFile {
  const { header, text, lineIndex: headerIndex, isPithFormat, damage } = findHeader(split.lines, rules);
  const allLines = split.lines.map((raw) => ({ raw, parsed: readRawLine(raw, { ...rules, isPithFormat }) }));
  const intact = dropTornTail(allLines, headerIndex);
  // Our files are of this version, also where the header no longer says so.
  const version = header ? (header.version ?? 1) : isPithFormat ? CURRENT_VERSION : 1;
  const linkOptions = {
    headerIndex: headerIndex,
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

/** Whether a newer program wrote it: then it can be read, and not appended to. */
export function isNewerFormat({ damage }: SessionFile): boolean {
  return damage.some(({ kind }) => kind === "future-version");
}

/** A whole file of ours: a header and lines, each given without seal. */
export function encodeSession(texts: readonly string[], checksum: Checksum): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${withTrailer(text, {}, checksum)}\n`).join(""));
}

/** The header's line with the mark of a file of ours, every other byte as it was. */
export function addHeaderMark(text: string): string {
  const pith = createHeaderMark(readReservedNumber(JSON.parse(text) as Header));
  return setJsonMembers(text, { version: String(CURRENT_VERSION), pith: JSON.stringify(pith) });
}

/** A file of an older version as it is written today: ours, every line whole, what was lost noted in its place. */
export function migrateSession(
  { headerText, lines }: SessionFile,
  header: Header,
  checksum: Checksum,
): MigrationResult {
  const headerLine = addHeaderMark(headerText ?? JSON.stringify(header));
  const texts = lines.map((line) => serializeWithNumber(line) ?? serializeEntry(line.entry));
  return { header: JSON.parse(headerLine) as Header, bytes: encodeSession([headerLine, ...texts], checksum) };
}

export interface MigrationResult {
  readonly header: Header;
  readonly bytes: Uint8Array;
}

function serializeWithNumber({ entry, text }: EntryLine): string | null {
  const lineJson = text();
  return lineJson && setEntryNumberInLine(lineJson, entry.number);
}

function lineEndOffset(last: RawLine | undefined): number {
  return last ? last.offset + last.length : 0;
}
