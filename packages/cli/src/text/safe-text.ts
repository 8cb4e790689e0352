/** Makes text safe for terminals and JSON lines: what could control a terminal, reverse the reading order or hide is escaped or removed. */

import { stripVTControlCharacters } from "node:util";

/** Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function escapeControls(text: string): string {
  return text.replace(invisiblePattern(), (char) =>
    char === "\r\n" ? "\n" : escapeCodePoint(char.codePointAt(0) ?? 0),
  );
}

// Controls (C0, C1), formats (bidi, zero width, tags), half characters, line and paragraph separators, fillers without
// ink, and the block U+E0000. Of the formats, the Arabic number signs have ink.
const invisiblePattern = (): RegExp =>
  /\r\n|[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

function escapeCodePoint(point: number): string {
  const digits = point.toString(16);
  return point < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
}

/** For text from outside, such as a path or a tool's name: no line break in it can begin a line that looks like Pith's own. */
export function escapeLineBreaks(text: string): string {
  return text.replace(/[\n\r\t]/g, (char) => ESCAPES[char] ?? " ");
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function escapeLine(text: string): string {
  return escapeControls(escapeLineBreaks(text));
}

export function truncate(text: string, maxChars: number = DEFAULT_MAX_CHARS): string {
  const line = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, " ")
    .trim();
  // By characters: half of one would be shown as an escape.
  const chars = Array.from(line);
  return chars.length > maxChars ? `${chars.slice(0, maxChars - 1).join("")}…` : line;
}

const DEFAULT_MAX_CHARS = 160;

/** In one line of so many signs. */
export function toSafeLine(text: string, maxChars: number): string {
  return truncate(escapeLine(stripVTControlCharacters(text)), maxChars);
}

/** In so many lines at most. */
export function toSafeLines(text: string, maxLines: number): readonly string[] {
  const lines = escapeControls(stripVTControlCharacters(text.slice(0, MAX_TEXT_CHARS)).replaceAll("\t", "  "))
    .split("\n")
    .map((line) => [...line].slice(0, MAX_LINE_CHARS).join("").trimEnd());
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), "…"];
}

const MAX_TEXT_CHARS = 20_000;
const MAX_LINE_CHARS = 1_000;

/** For text put into an editor. Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(invisibleInputPattern(), "");
}

/** The same signs that are shown as escapes elsewhere. Here they go: nobody typed them, and nobody could see them. */
const invisibleInputPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

/** With its line end, which is the only one in it for any reader; nothing in it can control a terminal. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(invisibleInJsonLinePattern(), escapeInJson)}\n`;
}

// As in `escapeControls`, whose own escapes are no JSON; here none of them can stand outside a string. U+2028 is among them.
const invisibleInJsonLinePattern = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gv;

/** What could control a terminal is escaped; it is still the same JSON. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2).replace(invisibleInJsonPattern(), escapeInJson);
}

// As in `escapeControls`, whose own escapes are no JSON.
const invisibleInJsonPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n]]/gv;

function escapeInJson(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
