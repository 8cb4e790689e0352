/** Reads one line of bytes into a JSON object, or names what is wrong with it, and checks the fields of an entry. Never throws. */

import type { Entry, LostKind } from "../entry.ts";
import type { Checksum } from "../runtime.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { DamageKind } from "./damage.ts";
import { nestsDeeperThan } from "./edit-json.ts";
import { type Marks, type Seal, sealHolds, sealOf, withMendedSeal } from "./line-checksum.ts";

export type LineReading = WholeLine | DamagedLine;

export interface WholeLine {
  readonly type: "whole";
  /** Without the members of the seal. */
  readonly value: JsonObject;
  readonly marks: Marks;
  readonly sealed: boolean;
  /** What was wrong around the line and did not hurt it. */
  readonly blemish: DamageKind | null;
}

export interface DamagedLine {
  readonly type: "damaged";
  readonly kind: DamageKind;
  /** What can still be made out of its place in the tree and of what it was. None of its words: any byte of it may have changed. */
  readonly legible: LegiblePart;
}

export interface LegiblePart {
  readonly id?: string;
  readonly parentId?: string | null;
  readonly number?: number;
  /** A kind of entry, or the role of a message. Only names that the format knows. */
  readonly kind?: LostKind;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface LineRules {
  /** Whether the file says that its lines carry a seal. */
  readonly ours: boolean;
  readonly checksum: Checksum;
  readonly limits?: FormatLimits;
  /** The bytes before `end` as text, null for what is no UTF-8; a machine may know a faster way. */
  readonly decode?: Decode;
  /** Whose file it is has yet to be found out: no line is damaged for want of a seal. */
  readonly isUnsure?: boolean;
  /** The header says that no line carries a seal. One whose seal holds shows that the header has changed: then the line is not believed. */
  readonly isPlain?: boolean;
}

export type Decode = (bytes: Uint8Array, end: number) => string | null;

export function readLine(raw: Uint8Array, rules: LineRules): LineReading {
  const { ours, checksum, limits = formatLimits, decode = decoded, isUnsure = false, isPlain = false } = rules;
  if (raw.length > limits.lineBytes) return overlongLine(raw);
  const bytes = raw[0] === 0 || raw[raw.length - 1] === 0 ? withoutZeros(raw) : raw;
  if (bytes.length === 0) return damaged("nul-bytes", "", bytes);
  const seal = ours ? sealOf(bytes) : null;
  const text = seal ? sealedText(bytes, seal, decode) : decode(bytes, bytes.length);
  if (text === null) return damaged("invalid-utf8", firstLetters(bytes), bytes);
  if (nestsDeeperThan(text, limits.depth)) return damaged("nested-too-deep", text, bytes);
  if (seal && checksum(bytes.subarray(0, seal.summedEnd)) !== seal.sum) return damaged("wrong-checksum", text, bytes);
  const value = parsed(text);
  if (value === undefined) return damaged("not-json", text, bytes);
  if (!isObject(value)) return damaged("not-an-object", "", bytes);
  const mended = ours && seal === null ? withMendedSeal(bytes, checksum) : null;
  if (mended) return blemished(readLine(mended, rules), "damaged-seal");
  const isStripped = ours && !isUnsure && seal === null && isNumbered(value);
  if (isStripped || (isPlain && bearsSeal(bytes, checksum))) return damaged("wrong-checksum", text, bytes);
  const isOdd = seal !== null && bytes[bytes.length - 1] !== CLOSING_BRACE && endsStrangely(bytes);
  const blemish = bytes.length < raw.length ? "nul-bytes" : isOdd ? "damaged-seal" : null;
  return { type: "whole", value, marks: seal?.marks ?? NONE, sealed: seal !== null, blemish };
}

// Every line of ours has a number and a seal, and no other program writes numbers: the seal was cut off, and who knows what with it.
function isNumbered({ type, number }: JsonObject): boolean {
  return type !== "session" && number !== undefined;
}

/** Whether the line ends in a seal that holds. */
export function bearsSeal(line: Uint8Array, checksum: Checksum): boolean {
  const seal = sealOf(line);
  return seal !== null && sealHolds(seal, line, checksum);
}

function blemished(reading: LineReading, blemish: DamageKind): LineReading {
  return reading.type === "whole" ? { ...reading, blemish } : reading;
}

// The line end has changed into another kind of space; the line before it is as it was written.
function endsStrangely(bytes: Uint8Array): boolean {
  const end = bytes.lastIndexOf(CLOSING_BRACE);
  return bytes.subarray(end + 1).some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
}

/** The same for a line of which only the beginning may be there. */
export function readRaw(
  raw: { readonly bytes: Uint8Array; readonly overlong?: boolean },
  rules: LineRules,
): LineReading {
  return raw.overlong ? overlongLine(raw.bytes) : readLine(raw.bytes, rules);
}

function overlongLine(head: Uint8Array): DamagedLine {
  return damaged("line-too-long", firstLetters(head), head);
}

/** The text of a whole line, exactly as written but for its seal. */
export function lineText(raw: Uint8Array, ours: boolean): string {
  const bytes = withoutZeros(raw);
  const seal = ours ? sealOf(bytes) : null;
  return seal ? (sealedText(bytes, seal, decoded) ?? "") : (decoded(bytes, bytes.length) ?? "").trimEnd();
}

// The brace that closes the entry stands behind its seal. Put in the seal's place while the text is made, it saves a copy of every line.
function sealedText(bytes: Uint8Array, { textEnd }: Seal, decode: Decode): string | null {
  const was = bytes[textEnd] ?? 0;
  bytes[textEnd] = CLOSING_BRACE;
  const text = decode(bytes, textEnd + 1);
  bytes[textEnd] = was;
  return text;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decoded(bytes: Uint8Array, end: number): string | null {
  try {
    return strict.decode(bytes.subarray(0, end));
  } catch {
    // Not UTF-8 is an answer here; the caller names the damage.
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is an answer here; the caller names the damage.
    return undefined;
  }
}

// After a power cut a file system may leave zeros where a line began; the line behind them is whole.
function withoutZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return end - start === bytes.length ? bytes : bytes.subarray(start, end);
}

// pi and we write id and parent first, so a damaged line usually still tells where it stood.
function damaged(kind: DamageKind, text: string, raw: Uint8Array): DamagedLine {
  const head = text.slice(0, LEGIBLE);
  const id = /"id":"([^"\\]{1,100})"/.exec(head)?.[1];
  const parent = /"parentId":(?:"([^"\\]{1,100})"|(null))/.exec(head);
  const parentId = parent?.[2] ? null : parent?.[1];
  const number = /"timestamp":"[^"\\]{1,100}","number":(\d{1,9})[,}]/.exec(head)?.[1];
  const lost = lostKind(head, raw);
  return {
    type: "damaged",
    kind,
    legible: {
      ...(id && { id }),
      ...(parentId !== undefined && { parentId }),
      ...(number && { number: Number(number) }),
      ...(lost && { kind: lost }),
    },
  };
}

function lostKind(head: string, raw: Uint8Array): LostKind | undefined {
  // Where a line end has changed, the line holds two entries: what the first one was says nothing of the second.
  if (JOINED.test(letters.decode(raw))) return undefined;
  const type = /^\s*\{"type":"([a-z_]{1,40})"/.exec(head)?.[1];
  const kind = type === "message" ? /"message":\{"role":"([a-zA-Z]{1,20})"/.exec(head)?.[1] : type;
  return isLostKind(kind) ? kind : undefined;
}

/** Whether it is a kind that a gap may name. */
export function isLostKind(kind: unknown): kind is LostKind {
  return typeof kind === "string" && (messageRoles.has(kind) || hasShape(kind));
}

const NONE: Marks = {};
const JOINED = /"\}[^,\]}]\s?\{"type":"/;
const letters = new TextDecoder("latin1");
const CLOSING_BRACE = 0x7d;
const LEGIBLE = 400;
const firstLetters = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, LEGIBLE));
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const messageRoles: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "toolResult",
  "system",
  "bashExecution",
] satisfies LostKind[]);

type Field = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Field>>;

/**
 * Names the first field that is wrong, or null. A kind we do not know has no wrong fields. An entry with a wrong field becomes
 * an unknown one: kept and reported, never in a context.
 */
export function wrongField(value: JsonObject): string | null {
  const kind = value.type;
  if (typeof kind !== "string") return "type";
  // Most lines are messages, and every line that is read comes by here.
  if (kind === "message") return isObject(value.message) ? wrongPart(value.message) : "message";
  return hasShape(kind) ? firstWrong(value, entryShapes[kind]) : null;
}

export function isKnownKind(kind: string): kind is KnownKind {
  return kind === "message" || hasShape(kind);
}

function hasShape(kind: string): kind is Exclude<KnownKind, "message"> {
  return Object.hasOwn(entryShapes, kind);
}

function wrongPart(message: JsonObject): string | null {
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
      if (!string(message.command)) return "message.command";
      return maybeString(message.output) ? null : "message.output";
    default:
      return "message.role";
  }
}

type KnownKind = Exclude<Entry["type"], "unknown" | "gap">;

function firstWrong(value: JsonObject, shape: Shape): string | null {
  for (const field in shape) if (!shape[field]?.(value[field])) return field;
  return null;
}

const string: Field = (value) => typeof value === "string";
const maybeString: Field = (value) => value === undefined || typeof value === "string";
const object: Field = isObject;
const list: Field = Array.isArray;
// pi writes null where a message has no content, and reads it as nothing.
const content: Field = (value) => value == null || typeof value === "string" || Array.isArray(value);
const replacement: Field = (value) =>
  value === null || (isObject(value) && value.content != null && content(value.content));

const entryShapes: Readonly<Record<Exclude<KnownKind, "message">, Shape>> = {
  compaction: { summary: string },
  branch_summary: { summary: string },
  custom_message: { customType: string, content },
  context_edit: { targetId: string, replacement },
  model_change: { provider: string, modelId: string },
  thinking_level_change: { thinkingLevel: string },
  active_tools_change: { activeToolNames: list },
  label: { targetId: string, label: maybeString },
  session_info: { name: maybeString },
  usage: { usage: object },
  custom: { customType: string },
};
