/** Reads what a list shows of a session from both ends of its file. An unreadable file becomes a damaged item, never an exception. */

import { basename } from "node:path";
import { displayText } from "../../context/attachments.ts";
import type { Header } from "../../entry.ts";
import { type LineRules, readLine, readRawLine } from "../../format/read-line.ts";
import { findHeader } from "../../format/session-file.ts";
import { type RawLine, splitLines } from "../../format/split-lines.ts";
import { isObject } from "../../json.ts";
import type { Checksum } from "../../runtime.ts";
import type { FormatLimits } from "../../settings.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { type FileStat, type Files, indexPath, type OpenFile, toUnavailableResult } from "../files.ts";
import { loadIndexSnapshot } from "../jsonl/index-file.ts";
import { readRowBytes } from "../jsonl/line-index.ts";
import { readLinePrefix, readLines } from "../jsonl/read-lines.ts";
import { headerFromPath, sessionIdFromFileName } from "../session-file-name.ts";

export interface FileHeadRules {
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
  readonly uncheckedOffset: number | undefined;
}

/** `bytes` are the first of the file. `isCut`: there are more. */
export function parseFileHead(
  bytes: Buffer,
  { isTruncated, ...rules }: FileHeadRules & { readonly isTruncated: boolean },
): FileHead {
  const { lines } = splitLines(bytes);
  const headerLines = lines.slice(0, HEADER_SEARCH_LINES);
  const { header, lineIndex: headerIndex, isPithFormat: ours } = findHeader(headerLines, rules);
  const raw = lines[headerIndex];
  const start = raw ? raw.offset + raw.length + 1 : 0;
  const isHeaderLost = header === null && headerIndex === 0 && ours;
  const message =
    header || isHeaderLost
      ? findFirstUserMessage(lines.slice(headerIndex + 1), { ...rules, isPithFormat: ours, isTruncated })
      : undefined;
  return { header, isHeaderLost, ours, start, firstMessage: message?.text, uncheckedOffset: message?.uncheckedOffset };
}

interface FirstUserMessage {
  readonly text: string;
  readonly uncheckedOffset?: number;
}

function findFirstUserMessage(lines: readonly RawLine[], rules: FirstMessageRules): FirstUserMessage | undefined {
  let isLost = false;
  for (const { bytes, ended, offset } of lines) {
    if (!mayBeUserMessage(bytes)) continue;
    const result = readLine(bytes, rules);
    if (result.type === "damaged" && !ended && rules.isTruncated) {
      const text = readTruncatedMessage(bytes);
      if (text !== "") return { text, uncheckedOffset: offset };
    }
    // HARM3: none of its words are shown, and the session is not taken for one in which nothing was said.
    if (result.type === "damaged") isLost ||= ended && result.legible.kind === "user";
    const text = result.type === "whole" ? userMessageText(result.value.message) : "";
    if (text !== "") return { text };
  }
  return isLost ? { text: DAMAGE_PLACEHOLDER } : undefined;
}

type FirstMessageRules = FileHeadRules & { readonly isPithFormat: boolean; readonly isTruncated: boolean };

/** Shown where every message of the user is damaged. */
const DAMAGE_PLACEHOLDER = "(damaged)";

// Most lines of a long beginning are not the user's; a look at the first letters spares parsing them.
function mayBeUserMessage(bytes: Uint8Array): boolean {
  const prefix = readLinePrefix(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return prefix === null || (prefix.kind === "message" && prefix.role === "user");
}

function userMessageText(message: unknown): string {
  if (!isObject(message) || message.role !== "user") return "";
  return displayText(message.content);
}

// A first message may be longer than what was read: its beginning is all that is shown.
function readTruncatedMessage(bytes: Uint8Array): string {
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_LINE_PREFIX_BYTES));
  if (readLinePrefix(Buffer.from(head))?.role !== "user") return "";
  const text = /"(?:content|text)":"((?:[^"\\]|\\.){1,2000})/s.exec(head)?.[1];
  if (text === undefined) return "";
  return decodeJsonString(text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")).replace(ATTACHMENT_START, "@$1 ");
}

/** Of a text that is cut off before it says where the file ends. */
const ATTACHMENT_START = /^<(?:file|folder) (?:path|name)="([^"\n]+)">\n[\s\S]*/;

// Half a pair of surrogates at the cut is no reason to show nothing; what is no text at all is.
function decodeJsonString(escapedText: string): string {
  try {
    return (JSON.parse(`"${escapedText}"`) as string).toWellFormed();
  } catch {
    // The beginning of a damaged line: it has nothing to show.
    return "";
  }
}

const HEADER_SEARCH_LINES = 5;
const MAX_LINE_PREFIX_BYTES = 16 * 1024;

export interface NameSource {
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
export function findLatestName(source: NameSource): string | undefined {
  const { head, size, rules } = source;
  if (head.length >= size) return findLastName(head, rules);
  const fromIndex = readNameFromIndex(source);
  const tailOffset = tailStart(size, fromIndex?.covers);
  return (
    findLastName(readTailLines(source, tailOffset, tailOffset === fromIndex?.covers), rules) ??
    (fromIndex ? fromIndex.name : findLastName(head, rules))
  );
}

// What the index does not know yet is read, if it is not too much.
function tailStart(size: number, covers: number | undefined): number {
  const defaultStart = size - TAIL_BYTES;
  return covers !== undefined && covers < defaultStart ? Math.max(covers, size - MAX_TAIL_BYTES) : defaultStart;
}

function readNameFromIndex({
  path,
  file,
  files,
  rules,
  start,
}: NameSource): { name: string | undefined; covers: number } | null {
  const storedIndex = loadIndexSnapshot(indexPath(path), { files, checksum: rules.checksum, file, start });
  if (!storedIndex) return null;
  const { index, coveredEnd: covers } = storedIndex;
  const row = index.rowsOfKind("session_info").at(-1);
  if (row === undefined) return { name: undefined, covers };
  return { name: parseNameLine(readRowBytes({ file, index }, row), rules), covers };
}

function readTailLines({ file, size }: NameSource, offset: number, startsAtLine: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(size - offset);
  const read = bytes.subarray(0, file.read(bytes, offset));
  // Elsewhere the first line is cut; a name is looked for in whole lines only.
  if (startsAtLine) return read;
  return read.subarray(read.indexOf(NEWLINE_BYTE) + 1);
}

function findLastName(bytes: Buffer, rules: LineRules): string | undefined {
  if (!bytes.includes(SESSION_INFO_TYPE) && bytes[1] !== 0 && bytes[0] !== 0) return undefined;
  for (const line of splitLines(bytes).lines.toReversed()) {
    const name = parseNameLine(line.bytes, rules);
    if (name !== undefined) return name;
  }
  return undefined;
}

function parseNameLine(line: Uint8Array, rules: LineRules): string | undefined {
  if (!Buffer.from(line.buffer, line.byteOffset, line.byteLength).includes(SESSION_INFO_TYPE)) return undefined;
  const result = readLine(line, rules);
  if (result.type !== "whole" || !isObject(result.value) || result.value.type !== SESSION_INFO_TYPE) return undefined;
  const { name } = result.value;
  return typeof name === "string" ? name.trim() : "";
}

const SESSION_INFO_TYPE = "session_info";
const NEWLINE_BYTE = 0x0a;
const TAIL_BYTES = 64 * 1024;
const MAX_TAIL_BYTES = 256 * 1024;

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
export type SessionFileInfo = Omit<SessionItem, "path" | "modified" | "size">;

export interface ReadItemResult {
  readonly item: SessionFileInfo;
  /** Whether it will be the same as long as the file is; not so where the disk refused. */
  readonly lasting: boolean;
}

export function readSessionItem(
  path: string,
  { kind }: FileStat,
  options: FileHeadRules & { readonly files: Files },
): ReadItemResult {
  const name = basename(path);
  if (kind !== "file")
    return { item: createDamagedItem(name, "this is no plain file; name the file that it stands for"), lasting: false };
  try {
    const file = options.files.open(path, "read");
    try {
      return { item: parseSessionItem(path, file, options), lasting: true };
    } finally {
      file.close();
    }
  } catch (error) {
    return { item: createDamagedItem(name, toUnavailableResult("it cannot be read", error).why), lasting: false };
  }
}

function parseSessionItem(
  path: string,
  file: OpenFile,
  { files, ...rules }: FileHeadRules & { readonly files: Files },
): SessionFileInfo {
  const { size } = file.stat();
  const { bytes, head } = readFileHead(file, size, rules);
  const { ours, start } = head;
  const header = head.header ?? (head.isHeaderLost ? headerFromPath(path, { files, ours }) : null);
  if (!header) return createDamagedItem(basename(path), size === 0 ? EMPTY_FILE_MESSAGE : NO_HEADER_MESSAGE);
  const name = findLatestName({ path, file, files, rules: { ...rules, isPithFormat: ours }, start, head: bytes, size });
  const { id, cwd, timestamp, parentSession } = header;
  return {
    id: sanitizeLine(id),
    cwd: typeof cwd === "string" ? cwd : "",
    ...(name && { name: sanitizeLine(name) }),
    created: typeof timestamp === "string" ? sanitizeLine(timestamp) : "",
    firstMessage: sanitizeLine(verifyFirstMessage(file, size, { head, rules })),
    ...(typeof parentSession === "string" && { parentSession }),
  };
}

// A line that is longer than what was read is checked before its beginning is shown.
function verifyFirstMessage(
  file: OpenFile,
  size: number,
  { head, rules }: { readonly head: FileHead; readonly rules: FileHeadRules },
): string {
  const { firstMessage = "", uncheckedOffset, ours } = head;
  if (uncheckedOffset === undefined || !ours) return firstMessage;
  const [line] = readLines(file, { start: uncheckedOffset, end: size, limits: rules.limits });
  return line && readRawLine(line, { ...rules, isPithFormat: ours }).type === "whole"
    ? firstMessage
    : DAMAGE_PLACEHOLDER;
}

// A system prompt with its tools may come before the first word of the user.
function readFileHead(
  file: OpenFile,
  size: number,
  rules: FileHeadRules,
): { readonly bytes: Buffer; readonly head: FileHead } {
  const isShort = size <= MAX_LIST_HEAD_BYTES;
  const bytes = readFirstBytes(file, isShort ? size : LIST_HEAD_BYTES);
  const head = parseFileHead(bytes, { ...rules, isTruncated: !isShort });
  const { firstMessage = DAMAGE_PLACEHOLDER, uncheckedOffset } = head;
  const isKnown = firstMessage !== DAMAGE_PLACEHOLDER && uncheckedOffset === undefined;
  if (isShort || ((head.header || head.isHeaderLost) && isKnown)) return { bytes, head };
  const moreBytes = readFirstBytes(file, MAX_LIST_HEAD_BYTES);
  return { bytes: moreBytes, head: parseFileHead(moreBytes, { ...rules, isTruncated: true }) };
}

function readFirstBytes(file: OpenFile, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, file.read(bytes, 0));
}

function createDamagedItem(name: string, damaged: string): SessionFileInfo {
  return { id: sanitizeLine(sessionIdFromFileName(name) ?? ""), cwd: "", created: "", firstMessage: "", damaged };
}

const LIST_HEAD_BYTES = 64 * 1024;
const MAX_LIST_HEAD_BYTES = 256 * 1024;
const EMPTY_FILE_MESSAGE = "the file is empty; put it into the trash";
const NO_HEADER_MESSAGE = "this is no session, or its header is lost; open it to see what can be saved";
