/** Reads TypeScript files, each with a copy of its text in which comments and strings are blanked, character for character. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const comment = /\/\/[^\n]*|\/\*.*?\*\/|(?<!.)#![^\n]*/sy;
const quoted = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/sy;
const expression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const templatePiece = /[`}](?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)/sy;
const plain = /[^/"'`{}#]+|./sy;
const braces: Readonly<Record<string, number>> = { "{": 1, "}": -1 };

export function codeOnly(text: string): string {
  const pieces: string[] = [];
  const holes: Holes = [];
  for (let at = 0; at < text.length; ) {
    const piece = nextPiece(text, at, holes);
    pieces.push(piece.code);
    at += piece.code.length;
    note(holes, piece);
  }
  return pieces.join("");
}

/** For each `${` still open, how many braces are open inside it. */
type Holes = number[];

interface Piece {
  readonly kind: "template" | "other";
  readonly raw: string;
  readonly code: string;
}

function nextPiece(text: string, at: number, holes: Holes): Piece {
  const said = matched(comment, text, at);
  if (said !== null) return { kind: "other", raw: said, code: blank(said) };

  const inTemplate = text[at] === "`" || (text[at] === "}" && holes.at(-1) === 0);
  const piece = inTemplate ? matched(templatePiece, text, at) : null;
  if (piece !== null) return { kind: "template", raw: piece, code: hollow(piece, piece.endsWith("`") ? 1 : 2) };

  const literal = matched(quoted, text, at) ?? (mayBeExpression(text, at) ? matched(expression, text, at) : null);
  if (literal !== null) return { kind: "other", raw: literal, code: hollow(literal, 1) };

  const code = matched(plain, text, at) ?? "";
  return { kind: "other", raw: code, code };
}

function note(holes: Holes, { kind, raw }: Piece): void {
  if (kind === "template") {
    if (raw.startsWith("}")) holes.pop();
    if (raw.endsWith("${")) holes.push(0);
    return;
  }
  const open = holes.pop();
  if (open !== undefined) holes.push(open + (braces[raw] ?? 0));
}

// A slash after a value divides; anywhere else it begins a regular expression.
function mayBeExpression(text: string, at: number): boolean {
  if (text[at] !== "/") return false;
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return /(?:^|[^\w$)\]"'`.]|\b(?:return|typeof|case|yield|await|of|in))$/.test(before);
}

function matched(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function hollow(literal: string, tail: number): string {
  return literal.slice(0, 1) + blank(literal.slice(1, -tail)) + literal.slice(-tail);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

export interface Source {
  /** From the root of the house, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly code: string;
}

export function source(path: string, text: string): Source {
  return { path, text, code: codeOnly(text) };
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

export function readFolder(root: string, folder: string): Source[] {
  return paths(root, folder).map((path) => source(path, readFileSync(join(root, path), "utf8")));
}

/** The folders directly inside a folder. */
export function subfolders(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const inside = readdirSync(join(root, folder), { withFileTypes: true });
  return inside.filter((item) => item.isDirectory() && !isPassedOver(item.name)).map(({ name }) => `${folder}/${name}`);
}

function paths(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const inside = readdirSync(join(root, folder), { withFileTypes: true });
  const files = inside.filter((item) => item.isFile() && item.name.endsWith(".ts"));
  const deeper = subfolders(root, folder).flatMap((below) => paths(root, below));
  return [...files.map(({ name }) => `${folder}/${name}`), ...deeper].toSorted();
}

function isPassedOver(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}

/** Where the bracket that opens at `open` is closed; the end of the text if it never is. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code.charAt(at);
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character) && --depth === 0) return at;
  }
  return code.length;
}

/** The parts between commas, with what lies in brackets (angle brackets too) left whole; a trailing comma adds none. */
export function parts(list: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < list.length; at++) {
    const character = list.charAt(at);
    if ("([{<".includes(character)) depth++;
    if (")]}".includes(character) || (character === ">" && list[at - 1] !== "=")) depth--;
    if (character !== "," || depth > 0) continue;
    found.push(list.slice(from, at));
    from = at + 1;
  }
  return [...found, list.slice(from)].map((part) => part.trim()).filter((part) => part !== "");
}
