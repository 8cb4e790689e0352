/** Reads one line into a JSON object, or reports its damage, and checks the fields of an entry. Never throws. */

import type { Entry, LostKind } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Checksum } from "../runtime.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { DamageKind } from "./damage.ts";
import { exceedsDepth } from "./edit-json-text.ts";
import { isTrailerValid, type LineMarks, type LineTrailer, readTrailer, repairTrailer } from "./line-checksum.ts";

/** The result of reading a line. */
export type ReadLineResult = IntactLine | CorruptLine;

/** A line that can be used. */
export interface IntactLine {
  readonly type: "intact";
  /** The parsed JSON, without the members of the trailer. */
  readonly value: JsonObject;
  readonly marks: LineMarks;
  readonly hasTrailer: boolean;
  /** Damage around the entry that did not change the entry. */
  readonly minorDamage: DamageKind | null;
}

/** A line that cannot be used. */
export interface CorruptLine {
  readonly type: "damaged";
  readonly kind: DamageKind;
  /** The fields that can still be read. They contain no message text, because any byte of it may have changed. */
  readonly legible: LegibleFields;
}

/** The position and the kind of a damaged entry, as far as they can be read. */
export interface LegibleFields {
  readonly id?: string;
  readonly parentId?: string | null;
  readonly number?: number;
  /** The type of the entry or the role of the message, if the format knows it. */
  readonly kind?: LostKind;
}

/** How the lines of a file are read. */
export interface LineRules {
  /** Whether the header says that lines have trailers. */
  readonly isPithFormat: boolean;
  readonly checksum: Checksum;
  readonly limits?: FormatLimits;
  /** A faster UTF-8 decoder, if the platform has one. */
  readonly decode?: DecodeText;
  /** The format is not known yet, so a missing trailer is not damage. */
  readonly isFormatUnknown?: boolean;
  /** The header says that no line has a trailer. A valid trailer then shows that the header was changed, and the line is damaged. */
  readonly forbidsTrailers?: boolean;
}

/** Decodes the bytes before `end`; null for invalid UTF-8. */
export type DecodeText = (bytes: Uint8Array, end: number) => string | null;

/** Reads one line and verifies its checksum. */
export function readLine(raw: Uint8Array, rules: LineRules): ReadLineResult {
  const {
    isPithFormat,
    checksum,
    limits = formatLimits,
    decode = decodeUtf8,
    isFormatUnknown = false,
    forbidsTrailers = false,
  } = rules;
  if (raw.length > limits.lineBytes) return toOverlongLine(raw);
  const bytes = raw[0] === 0 || raw[raw.length - 1] === 0 ? trimZeroBytes(raw) : raw;
  if (bytes.length === 0) return toCorruptLine("nul-bytes", "", bytes);
  const trailer = isPithFormat ? readTrailer(bytes) : null;
  const text = trailer ? decodeBeforeTrailer(bytes, trailer, decode) : decode(bytes, bytes.length);
  if (text === null) return toCorruptLine("invalid-utf8", decodeLegibleHead(bytes), bytes);
  if (exceedsDepth(text, limits.depth)) return toCorruptLine("nested-too-deep", text, bytes);
  if (trailer && checksum(bytes.subarray(0, trailer.bodyEnd)) !== trailer.crc)
    return toCorruptLine("wrong-checksum", text, bytes);
  const value = parseJsonOrUndefined(text);
  if (value === undefined) return toCorruptLine("not-json", text, bytes);
  if (!isObject(value)) return toCorruptLine("not-an-object", "", bytes);
  const repairedBytes = isPithFormat && trailer === null ? repairTrailer(bytes, checksum) : null;
  if (repairedBytes) return withMinorDamage(readLine(repairedBytes, rules), "damaged-trailer");
  // LOG2: only Pith writes numbers, always with a trailer. A line with a number and without a trailer was cut off.
  const isTrailerMissing =
    isPithFormat && !isFormatUnknown && trailer === null && value.type !== "session" && value.number !== undefined;
  if (isTrailerMissing || (forbidsTrailers && hasValidTrailer(bytes, checksum)))
    return toCorruptLine("wrong-checksum", text, bytes);
  const hasOddLineEnd = trailer !== null && bytes[bytes.length - 1] !== RIGHT_BRACE && hasUnusualLineEnd(bytes);
  const minorDamage = bytes.length < raw.length ? "nul-bytes" : hasOddLineEnd ? "damaged-trailer" : null;
  return { type: "intact", value, marks: trailer?.marks ?? EMPTY_MARKS, hasTrailer: trailer !== null, minorDamage };
}

/** Whether the line ends in a trailer with the right checksum. */
export function hasValidTrailer(line: Uint8Array, checksum: Checksum): boolean {
  const trailer = readTrailer(line);
  return trailer !== null && isTrailerValid(trailer, line, checksum);
}

function withMinorDamage(result: ReadLineResult, minorDamage: DamageKind): ReadLineResult {
  return result.type === "intact" ? { ...result, minorDamage } : result;
}

// The line end was changed into other whitespace; the line before it is unchanged.
function hasUnusualLineEnd(bytes: Uint8Array): boolean {
  const end = bytes.lastIndexOf(RIGHT_BRACE);
  return bytes.subarray(end + 1).some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
}

/** Like `readLine`, for a line of which only the beginning was read if it is overlong. */
export function readRawLine(
  raw: { readonly bytes: Uint8Array; readonly isOverlong?: boolean },
  rules: LineRules,
): ReadLineResult {
  return raw.isOverlong ? toOverlongLine(raw.bytes) : readLine(raw.bytes, rules);
}

function toOverlongLine(head: Uint8Array): CorruptLine {
  return toCorruptLine("line-too-long", decodeLegibleHead(head), head);
}

/** Returns the text of an intact line exactly as written, without its trailer. */
export function lineText(raw: Uint8Array, isPithFormat: boolean): string {
  const bytes = trimZeroBytes(raw);
  const trailer = isPithFormat ? readTrailer(bytes) : null;
  return trailer
    ? (decodeBeforeTrailer(bytes, trailer, decodeUtf8) ?? "")
    : (decodeUtf8(bytes, bytes.length) ?? "").trimEnd();
}

// The closing brace of the entry comes after the trailer. Writing it over the trailer while decoding saves a copy of every line.
function decodeBeforeTrailer(bytes: Uint8Array, { textEnd }: LineTrailer, decode: DecodeText): string | null {
  const originalByte = bytes[textEnd] ?? 0;
  bytes[textEnd] = RIGHT_BRACE;
  const text = decode(bytes, textEnd + 1);
  bytes[textEnd] = originalByte;
  return text;
}

function decodeUtf8(bytes: Uint8Array, end: number): string | null {
  try {
    return strictUtf8Decoder.decode(bytes.subarray(0, end));
  } catch {
    // The caller reports invalid UTF-8 as damage.
    return null;
  }
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The caller reports invalid JSON as damage.
    return undefined;
  }
}

// After a power cut a file system may leave zeros before a line; the line after them is intact.
function trimZeroBytes(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return end - start === bytes.length ? bytes : bytes.subarray(start, end);
}

// pi and Pith write id and parent first, so a damaged line usually still shows its position in the tree.
function toCorruptLine(kind: DamageKind, text: string, raw: Uint8Array): CorruptLine {
  const head = text.slice(0, MAX_LEGIBLE_CHARS);
  const id = /"id":"([^"\\]{1,100})"/.exec(head)?.[1];
  const parent = /"parentId":(?:"([^"\\]{1,100})"|(null))/.exec(head);
  const parentId = parent?.[2] ? null : parent?.[1];
  const number = /"timestamp":"[^"\\]{1,100}","number":(\d{1,9})[,}]/.exec(head)?.[1];
  const recoveredKind = detectLostKind(head, raw);
  return {
    type: "damaged",
    kind,
    legible: {
      ...(id && { id }),
      ...(parentId !== undefined && { parentId }),
      ...(number && { number: Number(number) }),
      ...(recoveredKind && { kind: recoveredKind }),
    },
  };
}

function detectLostKind(head: string, raw: Uint8Array): LostKind | undefined {
  // If a line end was changed, the line holds two entries, and the type of the first does not describe the second.
  if (TWO_ENTRIES_PATTERN.test(lineByteDecoder.decode(raw))) return undefined;
  const type = /^\s*\{"type":"([a-z_]{1,40})"/.exec(head)?.[1];
  const kind = type === "message" ? /"message":\{"role":"([a-zA-Z]{1,20})"/.exec(head)?.[1] : type;
  return isLostKind(kind) ? kind : undefined;
}

/** Whether a gap can have this kind. */
export function isLostKind(kind: unknown): kind is LostKind {
  return typeof kind === "string" && (gapMessageRoles.has(kind) || hasEntryShape(kind));
}

const EMPTY_MARKS: LineMarks = {};
const TWO_ENTRIES_PATTERN = /"\}[^,\]}]\s?\{"type":"/;
const lineByteDecoder = new TextDecoder("latin1");
const RIGHT_BRACE = 0x7d;
const MAX_LEGIBLE_CHARS = 400;
const decodeLegibleHead = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, MAX_LEGIBLE_CHARS));
const strictUtf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const gapMessageRoles: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "toolResult",
  "system",
  "bashExecution",
] satisfies LostKind[]);

type FieldCheck = (value: unknown) => boolean;
type EntryShape = Readonly<Record<string, FieldCheck>>;

/**
 * Returns the name of the first invalid field, or null. An unknown type has no invalid fields. An entry with an invalid field becomes an
 * entry of type `unknown`: it is kept and reported, but never in a context.
 */
export function invalidField(value: JsonObject): string | null {
  const kind = value.type;
  if (typeof kind !== "string") return "type";
  // Messages come first, because most lines are messages and this runs for every line.
  if (kind === "message") return isObject(value.message) ? invalidMessageField(value.message) : "message";
  return hasEntryShape(kind) ? firstInvalidField(value, entryShapes[kind]) : null;
}

/** Whether the format defines this entry type. */
export function isKnownKind(kind: string): kind is FileEntryType {
  return kind === "message" || hasEntryShape(kind);
}

function hasEntryShape(kind: string): kind is Exclude<FileEntryType, "message"> {
  return Object.hasOwn(entryShapes, kind);
}

function invalidMessageField(message: JsonObject): string | null {
  // pi writes null for a message without content.
  const isList = message.content == null || Array.isArray(message.content);
  switch (message.role) {
    case "assistant":
      return isList ? null : "message.content";
    case "toolResult":
      if (typeof message.toolCallId !== "string") return "message.toolCallId";
      return isList ? null : "message.content";
    case "user":
    case "system":
    case "custom":
      return isList || typeof message.content === "string" ? null : "message.content";
    case "bashExecution":
      if (!stringField(message.command)) return "message.command";
      return optionalStringField(message.output) ? null : "message.output";
    default:
      return "message.role";
  }
}

type FileEntryType = Exclude<Entry["type"], "unknown" | "gap">;

function firstInvalidField(value: JsonObject, shape: EntryShape): string | null {
  for (const field in shape) if (!shape[field]?.(value[field])) return field;
  return null;
}

const stringField: FieldCheck = (value) => typeof value === "string";
const optionalStringField: FieldCheck = (value) => value === undefined || typeof value === "string";
const objectField: FieldCheck = isObject;
const arrayField: FieldCheck = Array.isArray;
// pi writes null for a message without content.
const contentField: FieldCheck = (value) => value == null || typeof value === "string" || Array.isArray(value);
const replacementField: FieldCheck = (value) =>
  value === null || (isObject(value) && value.content != null && contentField(value.content));

const entryShapes: Readonly<Record<Exclude<FileEntryType, "message">, EntryShape>> = {
  compaction: { summary: stringField },
  branch_summary: { summary: stringField },
  custom_message: { customType: stringField, content: contentField },
  context_edit: { targetId: stringField, replacement: replacementField },
  model_change: { provider: stringField, modelId: stringField },
  thinking_level_change: { thinkingLevel: stringField },
  active_tools_change: { activeToolNames: arrayField },
  label: { targetId: stringField, label: optionalStringField },
  session_info: { name: optionalStringField },
  usage: { usage: objectField },
  custom: { customType: stringField },
};
