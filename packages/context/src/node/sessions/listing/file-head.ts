/** What the beginning of a session file tells: its header, and what the user said first. */

import type { Header } from "../../../entry.ts";
import type { FormatLimits } from "../../../limits.ts";
import type { Checksum } from "../../../ports.ts";
import { findHeader } from "../../../session/codec/header.ts";
import { isObject, readLine } from "../../../session/codec/line/read-line.ts";
import { type RawLine, splitLines } from "../../../session/codec/split-lines.ts";
import { peek } from "../../jsonl/lines/peek.ts";

export interface HeadRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

export interface FileHead {
  readonly header: Header | null;
  readonly ours: boolean;
  /** Where the lines behind the header begin. */
  readonly start: number;
  /** Undefined if it is not said within these bytes. */
  readonly firstMessage: string | undefined;
}

/** `bytes` are the first of the file, cut anywhere. */
export function fileHead(bytes: Buffer, rules: HeadRules): FileHead {
  const { lines } = splitLines(bytes);
  const first = lines.slice(0, HEADER_WITHIN);
  const { header, at, ours } = findHeader(first, rules);
  const raw = lines[at];
  const start = raw ? raw.offset + raw.length + 1 : 0;
  return { header, ours, start, firstMessage: header ? firstSaid(lines.slice(at + 1), { ...rules, ours }) : undefined };
}

function firstSaid(lines: readonly RawLine[], rules: HeadRules & { readonly ours: boolean }): string | undefined {
  for (const { bytes, ended } of lines) {
    if (!isMessage(bytes)) continue;
    const reading = readLine(bytes, rules);
    const text = reading.type === "whole" ? saidIn(reading.value.message) : ended ? "" : saidInCut(bytes);
    if (text !== "") return text;
  }
  return undefined;
}

// Most lines of a long beginning are not the user's; a look at the first letters spares parsing them.
function isMessage(bytes: Uint8Array): boolean {
  const glimpse = peek(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return glimpse === null || (glimpse.kind === "message" && glimpse.role === "user");
}

function saidIn(message: unknown): string {
  if (!isObject(message) || message.role !== "user") return "";
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block: unknown) => (isObject(block) && typeof block.text === "string" ? block.text : ""));
  const said = texts.filter((text) => text.trim() !== "");
  return said.find((text) => !ATTACHED.test(text)) ?? said[0]?.replace(ATTACHED, "@$1 ") ?? "";
}

/** A file that was said along with the words. */
const ATTACHED = /^<(?:file|folder) path="([^"\n]+)">\n/;

// A first message may be longer than what was read: its beginning is all that is shown.
function saidInCut(bytes: Uint8Array): string {
  const head = new TextDecoder().decode(bytes.subarray(0, CUT_LINE));
  if (peek(Buffer.from(head))?.role !== "user") return "";
  const text = /"(?:content|text)":"((?:[^"\\]|\\.){1,2000})/s.exec(head)?.[1];
  if (text === undefined) return "";
  return shownText(text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")).replace(ATTACHED, "@$1 ");
}

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
