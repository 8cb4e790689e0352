/** Reads what a list shows of a session from both ends of its file. An unreadable file becomes a damaged item, never an exception. */

import { basename } from "node:path";
import { displayText } from "../../context/attachments.ts";
import type { Header } from "../../entry.ts";
import { isObject, type LineRules, readLine, readRaw } from "../../format/read-line.ts";
import { findHeader } from "../../format/session-file.ts";
import { type RawLine, splitLines } from "../../format/split-lines.ts";
import type { Checksum } from "../../runtime.ts";
import type { FormatLimits } from "../../settings.ts";
import { plainText } from "../../text/sanitize.ts";
import { type FileStat, type Files, indexPath, type OpenFile, unavailable } from "../files.ts";
import { keptIndex } from "../jsonl/index-file.ts";
import { bytesAt } from "../jsonl/line-index.ts";
import { forwards, peek } from "../jsonl/read-lines.ts";
import { headerFromPlace, idInName } from "../session-place.ts";

export interface HeadRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export interface FileHead {
  readonly header: Header | null;
  /** The first line is damaged, and what follows are lines of a session. */
  readonly isHeaderLost: boolean;
  readonly ours: boolean;
  /** Where the lines behind the header begin. */
  readonly start: number;
  /** Undefined if it is not said within these bytes. */
  readonly firstMessage: string | undefined;
  /** Where the line of the first message begins, if these bytes end before it does: then nobody has checked it yet. */
  readonly uncheckedAt: number | undefined;
}

/** `bytes` are the first of the file. `isCut`: there are more. */
export function fileHead(bytes: Buffer, { isCut, ...rules }: HeadRules & { readonly isCut: boolean }): FileHead {
  const { lines } = splitLines(bytes);
  const first = lines.slice(0, HEADER_WITHIN);
  const { header, at, ours } = findHeader(first, rules);
  const raw = lines[at];
  const start = raw ? raw.offset + raw.length + 1 : 0;
  const isHeaderLost = header === null && at === 0 && ours;
  const said = header || isHeaderLost ? firstSaid(lines.slice(at + 1), { ...rules, ours, isCut }) : undefined;
  return { header, isHeaderLost, ours, start, firstMessage: said?.text, uncheckedAt: said?.uncheckedAt };
}

interface FirstSaid {
  readonly text: string;
  readonly uncheckedAt?: number;
}

function firstSaid(lines: readonly RawLine[], rules: SaidRules): FirstSaid | undefined {
  let isLost = false;
  for (const { bytes, ended, offset } of lines) {
    if (!isMessage(bytes)) continue;
    const reading = readLine(bytes, rules);
    if (reading.type === "damaged" && !ended && rules.isCut) {
      const text = saidInCut(bytes);
      if (text !== "") return { text, uncheckedAt: offset };
    }
    // HARM3: none of its words are shown, and the session is not taken for one in which nothing was said.
    if (reading.type === "damaged") isLost ||= ended && reading.legible.kind === "user";
    const text = reading.type === "whole" ? saidIn(reading.value.message) : "";
    if (text !== "") return { text };
  }
  return isLost ? { text: LOST_MESSAGE } : undefined;
}

type SaidRules = HeadRules & { readonly ours: boolean; readonly isCut: boolean };

/** Shown where every message of the user is damaged. */
const LOST_MESSAGE = "(damaged)";

// Most lines of a long beginning are not the user's; a look at the first letters spares parsing them.
function isMessage(bytes: Uint8Array): boolean {
  const glimpse = peek(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return glimpse === null || (glimpse.kind === "message" && glimpse.role === "user");
}

function saidIn(message: unknown): string {
  if (!isObject(message) || message.role !== "user") return "";
  return displayText(message.content);
}

// A first message may be longer than what was read: its beginning is all that is shown.
function saidInCut(bytes: Uint8Array): string {
  const head = new TextDecoder().decode(bytes.subarray(0, CUT_LINE));
  if (peek(Buffer.from(head))?.role !== "user") return "";
  const text = /"(?:content|text)":"((?:[^"\\]|\\.){1,2000})/s.exec(head)?.[1];
  if (text === undefined) return "";
  return shownText(text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")).replace(ATTACHED_START, "@$1 ");
}

/** Of a text that is cut off before it says where the file ends. */
const ATTACHED_START = /^<(?:file|folder) (?:path|name)="([^"\n]+)">\n[\s\S]*/;

// Half a pair of surrogates at the cut is no reason to show nothing; what is no text at all is.
function shownText(cut: string): string {
  try {
    return (JSON.parse(`"${cut}"`) as string).toWellFormed();
  } catch {
    // The beginning of a damaged line: it has nothing to show.
    return "";
  }
}

const HEADER_WITHIN = 5;
const CUT_LINE = 16 * 1024;

export interface NamedFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly files: Files;
  readonly rules: LineRules;
  /** Where its lines begin. */
  readonly start: number;
  /** Its first bytes; the whole of a short file. */
  readonly head: Buffer;
  readonly size: number;
}

/** The latest in the file. An empty text is a name taken away; undefined where none was found. */
export function latestName(named: NamedFile): string | undefined {
  const { head, size, rules } = named;
  if (head.length >= size) return lastNameIn(head, rules);
  const indexed = nameFromIndex(named);
  const from = tailStart(size, indexed?.covers);
  return (
    lastNameIn(bytesBehind(named, from, from === indexed?.covers), rules) ??
    (indexed ? indexed.name : lastNameIn(head, rules))
  );
}

// What the index does not know yet is read, if it is not too much.
function tailStart(size: number, covers: number | undefined): number {
  const near = size - TAIL;
  return covers !== undefined && covers < near ? Math.max(covers, size - LONGEST_TAIL) : near;
}

function nameFromIndex({
  path,
  file,
  files,
  rules,
  start,
}: NamedFile): { name: string | undefined; covers: number } | null {
  const kept = keptIndex(indexPath(path), { files, checksum: rules.checksum, file, start });
  if (!kept) return null;
  const { index, covers } = kept;
  const row = index.ofKind("session_info").at(-1);
  if (row === undefined) return { name: undefined, covers };
  return { name: nameOn(bytesAt({ file, index }, row), rules), covers };
}

function bytesBehind({ file, size }: NamedFile, from: number, beginsLine: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(size - from);
  const read = bytes.subarray(0, file.read(bytes, from));
  // Elsewhere the first line is cut; a name is looked for in whole lines only.
  if (beginsLine) return read;
  return read.subarray(read.indexOf(LINE_END) + 1);
}

function lastNameIn(bytes: Buffer, rules: LineRules): string | undefined {
  if (!bytes.includes(KIND) && bytes[1] !== 0 && bytes[0] !== 0) return undefined;
  for (const line of splitLines(bytes).lines.toReversed()) {
    const name = nameOn(line.bytes, rules);
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameOn(line: Uint8Array, rules: LineRules): string | undefined {
  if (!Buffer.from(line.buffer, line.byteOffset, line.byteLength).includes(KIND)) return undefined;
  const reading = readLine(line, rules);
  if (reading.type !== "whole" || !isObject(reading.value) || reading.value.type !== KIND) return undefined;
  const { name } = reading.value;
  return typeof name === "string" ? name.trim() : "";
}

const KIND = "session_info";
const LINE_END = 0x0a;
const TAIL = 64 * 1024;
const LONGEST_TAIL = 256 * 1024;

/** Texts are cleaned for the screen; paths are as they are. */
export interface SessionItem {
  readonly path: string;
  readonly id: string;
  /** The directory it belongs to: of the folder it lies in, else what its header says. */
  readonly cwd: string;
  readonly name?: string;
  /** ISO; empty where the file does not say. */
  readonly created: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** In bytes. */
  readonly size: number;
  /** What the user said first, its beginning; empty for nothing. */
  readonly firstMessage: string;
  /** The file it was forked from. */
  readonly parentSession?: string;
  /** Why it cannot be read as a session, and what to do. */
  readonly damaged?: string;
}

/** What the file itself says; its path, size and time are told by its folder. */
export type ItemFromFile = Omit<SessionItem, "path" | "modified" | "size">;

export interface ReadItem {
  readonly item: ItemFromFile;
  /** Whether it will be the same as long as the file is; not so where the disk refused. */
  readonly lasting: boolean;
}

export function listItem(path: string, { kind }: FileStat, parts: HeadRules & { readonly files: Files }): ReadItem {
  const name = basename(path);
  if (kind !== "file")
    return { item: damagedItem(name, "this is no plain file; name the file that it stands for"), lasting: false };
  try {
    const file = parts.files.open(path, "read");
    try {
      return { item: itemOf(path, file, parts), lasting: true };
    } finally {
      file.close();
    }
  } catch (error) {
    return { item: damagedItem(name, unavailable("it cannot be read", error).why), lasting: false };
  }
}

function itemOf(
  path: string,
  file: OpenFile,
  { files, ...rules }: HeadRules & { readonly files: Files },
): ItemFromFile {
  const { size } = file.stat();
  const { bytes, head } = beginning(file, size, rules);
  const { ours, start } = head;
  const header = head.header ?? (head.isHeaderLost ? headerFromPlace(path, { files, ours }) : null);
  if (!header) return damagedItem(basename(path), size === 0 ? EMPTY : NO_HEADER);
  const name = latestName({ path, file, files, rules: { ...rules, ours }, start, head: bytes, size });
  const { id, cwd, timestamp, parentSession } = header;
  return {
    id: plainText(id),
    cwd: typeof cwd === "string" ? cwd : "",
    ...(name && { name: plainText(name) }),
    created: typeof timestamp === "string" ? plainText(timestamp) : "",
    firstMessage: plainText(checkedMessage(file, size, { head, rules })),
    ...(typeof parentSession === "string" && { parentSession }),
  };
}

// A line that is longer than what was read is checked before its beginning is shown.
function checkedMessage(
  file: OpenFile,
  size: number,
  { head, rules }: { readonly head: FileHead; readonly rules: HeadRules },
): string {
  const { firstMessage = "", uncheckedAt, ours } = head;
  if (uncheckedAt === undefined || !ours) return firstMessage;
  const [line] = forwards(file, { start: uncheckedAt, end: size, limits: rules.limits });
  return line && readRaw(line, { ...rules, ours }).type === "whole" ? firstMessage : LOST_MESSAGE;
}

// A system prompt with its tools may come before the first word of the user.
function beginning(
  file: OpenFile,
  size: number,
  rules: HeadRules,
): { readonly bytes: Buffer; readonly head: FileHead } {
  const short = size <= WHOLE;
  const bytes = firstBytes(file, short ? size : HEAD);
  const head = fileHead(bytes, { ...rules, isCut: !short });
  const { firstMessage = LOST_MESSAGE, uncheckedAt } = head;
  const isKnown = firstMessage !== LOST_MESSAGE && uncheckedAt === undefined;
  if (short || ((head.header || head.isHeaderLost) && isKnown)) return { bytes, head };
  const more = firstBytes(file, WHOLE);
  return { bytes: more, head: fileHead(more, { ...rules, isCut: true }) };
}

function firstBytes(file: OpenFile, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, file.read(bytes, 0));
}

function damagedItem(name: string, damaged: string): ItemFromFile {
  return { id: plainText(idInName(name) ?? ""), cwd: "", created: "", firstMessage: "", damaged };
}

const HEAD = 64 * 1024;
const WHOLE = 256 * 1024;
const EMPTY = "the file is empty; put it into the trash";
const NO_HEADER = "this is no session, or its header is lost; open it to see what can be saved";
