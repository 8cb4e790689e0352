/** Makes text safe for terminals and JSON: escapes or removes characters that control a terminal, reverse the text direction or are invisible. */

import { stripVTControlCharacters } from "node:util";

/** Keeps line breaks, tabs, and the joiners that some scripts and emoji need. */
export function escapeControls(text: string): string {
  return text.replace(invisiblePattern(), (char) =>
    char === "\r\n" ? "\n" : escapeCodePoint(char.codePointAt(0) ?? 0),
  );
}

// Controls (C0, C1), formats (bidi, zero width, tags), lone surrogates, line and paragraph separators, blank fillers, and the
// block U+E0000. The Arabic number signs are formats, but they are visible and stay.
const invisiblePattern = (): RegExp =>
  /\r\n|[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

function escapeCodePoint(point: number): string {
  const digits = point.toString(16);
  return point < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
}

/** For untrusted text, such as a path or a tool's name: it must not start a new line that looks like Pith's own output. */
export function escapeLineBreaks(text: string): string {
  return text.replace(/[\n\r\t]/g, (char) => ESCAPES[char] ?? " ");
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function escapeLine(text: string): string {
  return escapeControls(escapeLineBreaks(text));
}

/** Shortens the text to one line of at most `maxChars` characters. */
export function truncate(text: string, maxChars: number = DEFAULT_MAX_CHARS): string {
  const line = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, " ")
    .trim();
  // Counts code points: a split surrogate pair would be shown as an escape.
  const chars = Array.from(line);
  return chars.length > maxChars ? `${chars.slice(0, maxChars - 1).join("")}…` : line;
}

const DEFAULT_MAX_CHARS = 160;

/** Removes escape sequences, escapes the rest, and shortens the text to one line of at most `maxChars` characters. */
export function toSafeLine(text: string, maxChars: number): string {
  return truncate(escapeLine(stripVTControlCharacters(text)), maxChars);
}

/** Returns at most `maxLines` lines without escape sequences and control characters. */
export function toSafeLines(text: string, maxLines: number): readonly string[] {
  const lines = escapeControls(stripVTControlCharacters(text.slice(0, MAX_TEXT_CHARS)).replaceAll("\t", "  "))
    .split("\n")
    .map((line) => [...line].slice(0, MAX_LINE_CHARS).join("").trimEnd());
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), "…"];
}

const MAX_TEXT_CHARS = 20_000;
const MAX_LINE_CHARS = 1_000;

/** For text that is put into an editor. Keeps line breaks, tabs, and the joiners that some scripts and emoji need. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(invisibleInputPattern(), "");
}

/** The characters that `escapeControls` escapes. They are removed here: the user did not type them and cannot see them. */
const invisibleInputPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

/** Formats a value as one line of JSON that ends with a line break. It contains no other line break and no control character. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(invisibleInJsonLinePattern(), escapeInJson)}\n`;
}

// The characters that `escapeControls` escapes, whose escapes are not valid JSON. They occur only in strings here. Includes U+2028.
const invisibleInJsonLinePattern = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gv;

/** Formats a value as indented JSON. Control characters are escaped; the parsed value stays the same. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2).replace(invisibleInJsonPattern(), escapeInJson);
}

// The characters that `escapeControls` escapes, whose escapes are not valid JSON. The line breaks of the indentation stay.
const invisibleInJsonPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n]]/gv;

function escapeInJson(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
