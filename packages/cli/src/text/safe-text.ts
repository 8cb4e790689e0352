/** Makes text safe for terminals and JSON lines: what could control a terminal, reverse the reading order or hide is escaped or removed. */

import { stripVTControlCharacters } from "node:util";

/** Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function plain(text: string): string {
  return text.replace(unseenPattern(), (sign) => (sign === "\r\n" ? "\n" : escaped(sign.codePointAt(0) ?? 0)));
}

// Controls (C0, C1), formats (bidi, zero width, tags), half characters, line and paragraph separators, fillers without
// ink, and the block U+E0000. Of the formats, the Arabic number signs have ink.
const unseenPattern = (): RegExp =>
  /\r\n|[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

function escaped(point: number): string {
  const digits = point.toString(16);
  return point < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
}

/** For text from outside, such as a path or a tool's name: no line break in it can begin a line that looks like Pith's own. */
export function oneLine(text: string): string {
  return text.replace(/[\n\r\t]/g, (sign) => ESCAPES[sign] ?? " ");
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function plainLine(text: string): string {
  return plain(oneLine(text));
}

export function clipped(text: string, width: number = WIDTH): string {
  const line = text
    .slice(0, 4 * width)
    .replace(/\s+/g, " ")
    .trim();
  // By characters: half of one would be shown as an escape.
  const signs = Array.from(line);
  return signs.length > width ? `${signs.slice(0, width - 1).join("")}…` : line;
}

const WIDTH = 160;

/** In one line of so many signs. */
export function harmlessLine(text: string, most: number): string {
  return clipped(plainLine(stripVTControlCharacters(text)), most);
}

/** In so many lines at most. */
export function harmlessLines(text: string, most: number): readonly string[] {
  const lines = plain(stripVTControlCharacters(text.slice(0, LONGEST_TEXT)).replaceAll("\t", "  "))
    .split("\n")
    .map((line) => [...line].slice(0, LONGEST_LINE).join("").trimEnd());
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), "…"];
}

const LONGEST_TEXT = 20_000;
const LONGEST_LINE = 1_000;

/** For text put into an editor. Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(unseenInInputPattern(), "");
}

/** The same signs that are shown as escapes elsewhere. Here they go: nobody typed them, and nobody could see them. */
const unseenInInputPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

/** With its line end, which is the only one in it for any reader; nothing in it can control a terminal. */
export function lineOf(value: unknown): string {
  return `${JSON.stringify(value).replace(unseenInLinePattern(), escapeInJson)}\n`;
}

// As in `plain`, whose own escapes are no JSON; here none of them can stand outside a string. U+2028 is among them.
const unseenInLinePattern = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gv;

/** What could control a terminal is escaped; it is still the same JSON. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2).replace(unseenInJsonPattern(), escapeInJson);
}

// As in `plain`, whose own escapes are no JSON.
const unseenInJsonPattern = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n]]/gv;

function escapeInJson(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
