/** Reads the list item of a session from the start and end of its file. An unreadable file becomes a damaged item, never an exception. */

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
import {
  type FileStat,
  type Files,
  indexPath,
  type OpenFile,
  sessionIdFromFileName,
  toUnavailableResult,
} from "../files.ts";
import { loadIndexSnapshot } from "../jsonl/index-file.ts";
import { readRowBytes } from "../jsonl/line-index.ts";
import { headerFromPath } from "../jsonl/read-header-and-tail.ts";
import { readLinePrefix, readLines } from "../jsonl/read-lines.ts";

/** A session in a list. Texts are sanitized for the terminal; paths are not. */
export interface SessionItem {
  readonly path: string;
  readonly id: string;
  /** The working directory: from the note in its folder, or else from its header. */
  readonly cwd: string;
  readonly name?: string;
  /** ISO; empty if unknown. */
  readonly created: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** In bytes. */
  readonly size: number;
  /** The start of the first user message; empty if there is none. */
  readonly firstMessage: string;
  /** The file that this session was forked from. */
  readonly parentSession?: string;
  /** Why the file cannot be read as a session, and what to do. */
  readonly damaged?: string;
}

/** The fields that come from the content of the file. */
export type SessionFileInfo = Omit<SessionItem, "path" | "modified" | "size">;

export interface ReadItemResult {
  readonly item: SessionFileInfo;
  /** Whether the item stays valid while the file is unchanged; false after a disk error. */
  readonly lasting: boolean;
}

/** Reads the list item of a session file. */
export function readSessionItem(
  path: string,
  { kind }: FileStat,
  options: FileHeadRules & { readonly files: Files },
): ReadItemResult {
  const name = basename(path);
  if (kind !== "file")
    return {
      item: createDamagedItem(name, "this is not a regular file; use the file that it points to"),
      lasting: false,
    };
  try {
    const file = options.files.open(path, "read");
    try {
      return { item: parseSessionItem(path, file, options), lasting: true };
    } finally {
      file.close();
    }
  } catch (error) {
    return { item: createDamagedItem(name, toUnavailableResult("the file cannot be read", error).why), lasting: false };
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

// Reads more bytes if a long system prompt precedes the first user message.
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

// If the first bytes end inside the line, its checksum is verified before its start is shown.
function verifyFirstMessage(
  file: OpenFile,
  size: number,
  { head, rules }: { readonly head: FileHead; readonly rules: FileHeadRules },
): string {
  const { firstMessage = "", uncheckedOffset, ours } = head;
  if (uncheckedOffset === undefined || !ours) return firstMessage;
  const [line] = readLines(file, { start: uncheckedOffset, end: size, limits: rules.limits });
  return line && readRawLine(line, { ...rules, isPithFormat: ours }).type === "intact"
    ? firstMessage
    : DAMAGE_PLACEHOLDER;
}

function createDamagedItem(name: string, damaged: string): SessionFileInfo {
  return { id: sanitizeLine(sessionIdFromFileName(name) ?? ""), cwd: "", created: "", firstMessage: "", damaged };
}

const LIST_HEAD_BYTES = 64 * 1024;
const MAX_LIST_HEAD_BYTES = 256 * 1024;
const EMPTY_FILE_MESSAGE = "the file is empty; move it to the trash";
const NO_HEADER_MESSAGE = "this is not a session, or its header is lost; open it to see what can be recovered";

export interface FileHeadRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export interface FileHead {
  readonly header: Header | null;
  /** Whether the first line is damaged and session lines follow. */
  readonly isHeaderLost: boolean;
  readonly ours: boolean;
  /** The offset of the first line after the header. */
  readonly start: number;
  /** Undefined if these bytes contain no user message. */
  readonly firstMessage: string | undefined;
  /** The offset of the first message's line if these bytes end inside it, so that its checksum is not verified yet. */
  readonly uncheckedOffset: number | undefined;
}

/** Parses the first bytes of a file; `isTruncated` if the file has more. */
function parseFileHead(
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
  for (const { bytes, hasLineEnd, offset } of lines) {
    if (!mayBeUserMessage(bytes)) continue;
    const result = readLine(bytes, rules);
    if (result.type === "damaged" && !hasLineEnd && rules.isTruncated) {
      const text = readTruncatedMessage(bytes);
      if (text !== "") return { text, uncheckedOffset: offset };
    }
    // HARM3: no text of a damaged message is shown, and the session does not look empty either.
    if (result.type === "damaged") isLost ||= hasLineEnd && result.legible.kind === "user";
    const text = result.type === "intact" ? userMessageText(result.value.message) : "";
    if (text !== "") return { text };
  }
  return isLost ? { text: DAMAGE_PLACEHOLDER } : undefined;
}

type FirstMessageRules = FileHeadRules & { readonly isPithFormat: boolean; readonly isTruncated: boolean };

/** Shown if every user message is damaged. */
const DAMAGE_PLACEHOLDER = "(damaged)";

// Most lines are not user messages; reading the line's prefix avoids parsing them.
function mayBeUserMessage(bytes: Uint8Array): boolean {
  const prefix = readLinePrefix(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return prefix === null || (prefix.kind === "message" && prefix.role === "user");
}

function userMessageText(message: unknown): string {
  if (!isObject(message) || message.role !== "user") return "";
  return displayText(message.content);
}

// The first message may be longer than the bytes read; only its start is shown.
function readTruncatedMessage(bytes: Uint8Array): string {
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_LINE_PREFIX_BYTES));
  if (readLinePrefix(Buffer.from(head))?.role !== "user") return "";
  const text = /"(?:content|text)":"((?:[^"\\]|\\.){1,2000})/s.exec(head)?.[1];
  if (text === undefined) return "";
  return decodeJsonString(text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")).replace(ATTACHMENT_START, "@$1 ");
}

/** Matches an attachment whose end is not within the truncated text. */
const ATTACHMENT_START = /^<(?:file|folder) (?:path|name)="([^"\n]+)">\n[\s\S]*/;

// A split surrogate pair at the cut is repaired; text that is not valid JSON gives an empty string.
function decodeJsonString(escapedText: string): string {
  try {
    return (JSON.parse(`"${escapedText}"`) as string).toWellFormed();
  } catch {
    // The line is damaged.
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
  /** The offset of the first line after the header. */
  readonly start: number;
  /** The first bytes of the file; all bytes of a short file. */
  readonly head: Buffer;
  readonly size: number;
}

/** Finds the latest session name in a file. Empty if the name was removed; undefined if none is found. */
function findLatestName(source: NameSource): string | undefined {
  const { head, size, rules } = source;
  if (head.length >= size) return findLastName(head, rules);
  const fromIndex = readNameFromIndex(source);
  const tailOffset = tailStart(size, fromIndex?.covers);
  return (
    findLastName(readTailLines(source, tailOffset, tailOffset === fromIndex?.covers), rules) ??
    (fromIndex ? fromIndex.name : findLastName(head, rules))
  );
}

// The tail starts where the index ends, unless that is too far back.
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
  // Otherwise the first line is incomplete and is skipped.
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
  if (result.type !== "intact" || !isObject(result.value) || result.value.type !== SESSION_INFO_TYPE) return undefined;
  const { name } = result.value;
  return typeof name === "string" ? name.trim() : "";
}

const SESSION_INFO_TYPE = "session_info";
const NEWLINE_BYTE = 0x0a;
const TAIL_BYTES = 64 * 1024;
const MAX_TAIL_BYTES = 256 * 1024;
