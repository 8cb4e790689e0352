/** Reads one line of bytes into a JSON object, or names what is wrong with it, and checks the fields of an entry. Never throws. */

import type { Entry, LostKind } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Checksum } from "../runtime.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { DamageKind } from "./damage.ts";
import { exceedsDepth } from "./edit-json.ts";
import { isTrailerValid, type LineMarks, type LineTrailer, readTrailer, repairTrailer } from "./line-checksum.ts";

export type ReadLineResult = IntactLine | CorruptLine;

export interface IntactLine {
  readonly type: "intact";
  /** Without the members of the seal. */
  readonly value: JsonObject;
  readonly marks: LineMarks;
  readonly hasTrailer: boolean;
  /** What was wrong around the line and did not hurt it. */
  readonly minorDamage: DamageKind | null;
}

export interface CorruptLine {
  readonly type: "damaged";
  readonly kind: DamageKind;
  /** What can still be made out of its place in the tree and of what it was. None of its words: any byte of it may have changed. */
  readonly legible: LegibleFields;
}

export interface LegibleFields {
  readonly id?: string;
  readonly parentId?: string | null;
  readonly number?: number;
  /** A kind of entry, or the role of a message. Only names that the format knows. */
  readonly kind?: LostKind;
}

export interface LineRules {
  /** Whether the file says that its lines carry a seal. */
  readonly isPithFormat: boolean;
  readonly checksum: Checksum;
  readonly limits?: FormatLimits;
  /** The bytes before `end` as text, null for what is no UTF-8; a machine may know a faster way. */
  readonly decode?: DecodeText;
  /** Whose file it is has yet to be found out: no line is damaged for want of a seal. */
  readonly isFormatUnknown?: boolean;
  /** The header says that no line carries a seal. One whose seal holds shows that the header has changed: then the line is not believed. */
  readonly forbidsTrailers?: boolean;
}

export type DecodeText = (bytes: Uint8Array, end: number) => string | null;

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
  const isTrailerMissing = isPithFormat && !isFormatUnknown && trailer === null && hasEntryNumber(value);
  if (isTrailerMissing || (forbidsTrailers && hasValidTrailer(bytes, checksum)))
    return toCorruptLine("wrong-checksum", text, bytes);
  const hasOddLineEnd = trailer !== null && bytes[bytes.length - 1] !== CLOSING_BRACE && hasUnusualLineEnd(bytes);
  const minorDamage = bytes.length < raw.length ? "nul-bytes" : hasOddLineEnd ? "damaged-trailer" : null;
  return { type: "intact", value, marks: trailer?.marks ?? EMPTY_MARKS, hasTrailer: trailer !== null, minorDamage };
}

// Every line of ours has a number and a seal, and no other program writes numbers: the seal was cut off, and who knows what with it.
function hasEntryNumber({ type, number }: JsonObject): boolean {
  return type !== "session" && number !== undefined;
}

/** Whether the line ends in a seal that holds. */
export function hasValidTrailer(line: Uint8Array, checksum: Checksum): boolean {
  const trailer = readTrailer(line);
  return trailer !== null && isTrailerValid(trailer, line, checksum);
}

function withMinorDamage(result: ReadLineResult, minorDamage: DamageKind): ReadLineResult {
  return result.type === "intact" ? { ...result, minorDamage } : result;
}

// The line end has changed into another kind of space; the line before it is as it was written.
function hasUnusualLineEnd(bytes: Uint8Array): boolean {
  const end = bytes.lastIndexOf(CLOSING_BRACE);
  return bytes.subarray(end + 1).some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
}

/** The same for a line of which only the beginning may be there. */
export function readRawLine(
  raw: { readonly bytes: Uint8Array; readonly isOverlong?: boolean },
  rules: LineRules,
): ReadLineResult {
  return raw.isOverlong ? toOverlongLine(raw.bytes) : readLine(raw.bytes, rules);
}

function toOverlongLine(head: Uint8Array): CorruptLine {
  return toCorruptLine("line-too-long", decodeLegibleHead(head), head);
}

/** The text of a whole line, exactly as written but for its seal. */
export function lineText(raw: Uint8Array, isPithFormat: boolean): string {
  const bytes = trimZeroBytes(raw);
  const trailer = isPithFormat ? readTrailer(bytes) : null;
  return trailer
    ? (decodeBeforeTrailer(bytes, trailer, decodeUtf8) ?? "")
    : (decodeUtf8(bytes, bytes.length) ?? "").trimEnd();
}

// The brace that closes the entry stands behind its seal. Put in the seal's place while the text is made, it saves a copy of every line.
function decodeBeforeTrailer(bytes: Uint8Array, { textEnd }: LineTrailer, decode: DecodeText): string | null {
  const originalByte = bytes[textEnd] ?? 0;
  bytes[textEnd] = CLOSING_BRACE;
  const text = decode(bytes, textEnd + 1);
  bytes[textEnd] = originalByte;
  return text;
}

function decodeUtf8(bytes: Uint8Array, end: number): string | null {
  try {
    return strictUtf8Decoder.decode(bytes.subarray(0, end));
  } catch {
    // Not UTF-8 is an answer here; the caller names the damage.
    return null;
  }
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is an answer here; the caller names the damage.
    return undefined;
  }
}

// After a power cut a file system may leave zeros where a line began; the line behind them is whole.
function trimZeroBytes(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return end - start === bytes.length ? bytes : bytes.subarray(start, end);
}

// pi and we write id and parent first, so a damaged line usually still tells where it stood.
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
  // Where a line end has changed, the line holds two entries: what the first one was says nothing of the second.
  if (TWO_ENTRIES_PATTERN.test(lineByteDecoder.decode(raw))) return undefined;
  const type = /^\s*\{"type":"([a-z_]{1,40})"/.exec(head)?.[1];
  const kind = type === "message" ? /"message":\{"role":"([a-zA-Z]{1,20})"/.exec(head)?.[1] : type;
  return isLostKind(kind) ? kind : undefined;
}

/** Whether it is a kind that a gap may name. */
export function isLostKind(kind: unknown): kind is LostKind {
  return typeof kind === "string" && (gapMessageRoles.has(kind) || hasEntryShape(kind));
}

const EMPTY_MARKS: LineMarks = {};
const TWO_ENTRIES_PATTERN = /"\}[^,\]}]\s?\{"type":"/;
const lineByteDecoder = new TextDecoder("latin1");
const CLOSING_BRACE = 0x7d;
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
 * Names the first field that is wrong, or null. A kind we do not know has no wrong fields. An entry with a wrong field becomes
 * an unknown one: kept and reported, never in a context.
 */
export function invalidField(value: JsonObject): string | null {
  const kind = value.type;
  if (typeof kind !== "string") return "type";
  // Most lines are messages, and every line that is read comes by here.
  if (kind === "message") return isObject(value.message) ? invalidMessageField(value.message) : "message";
  return hasEntryShape(kind) ? firstInvalidField(value, entryShapes[kind]) : null;
}

export function isKnownKind(kind: string): kind is KnownKind {
  return kind === "message" || hasEntryShape(kind);
}

function hasEntryShape(kind: string): kind is Exclude<KnownKind, "message"> {
  return Object.hasOwn(entryShapes, kind);
}

function invalidMessageField(message: JsonObject): string | null {
  // pi writes null where a message has no content, and reads it as nothing.
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

type KnownKind = Exclude<Entry["type"], "unknown" | "gap">;

function firstInvalidField(value: JsonObject, shape: EntryShape): string | null {
  for (const field in shape) if (!shape[field]?.(value[field])) return field;
  return null;
}

const stringField: FieldCheck = (value) => typeof value === "string";
const optionalStringField: FieldCheck = (value) => value === undefined || typeof value === "string";
const objectField: FieldCheck = isObject;
const arrayField: FieldCheck = Array.isArray;
// pi writes null where a message has no content, and reads it as nothing.
const content: FieldCheck = (value) => value == null || typeof value === "string" || Array.isArray(value);
const replacement: FieldCheck = (value) =>
  value === null || (isObject(value) && value.content != null && content(value.content));

const entryShapes: Readonly<Record<Exclude<KnownKind, "message">, EntryShape>> = {
  compaction: { summary: stringField },
  branch_summary: { summary: stringField },
  custom_message: { customType: stringField, content },
  context_edit: { targetId: stringField, replacement },
  model_change: { provider: stringField, modelId: stringField },
  thinking_level_change: { thinkingLevel: stringField },
  active_tools_change: { activeToolNames: arrayField },
  label: { targetId: stringField, label: optionalStringField },
  session_info: { name: optionalStringField },
  usage: { usage: objectField },
  custom: { customType: stringField },
};
