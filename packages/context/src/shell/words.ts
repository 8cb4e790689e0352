/** Parses the words of a shell line: quotes, escapes, variables, substitutions, arithmetic and patterns. Nothing is expanded. */

import { decodeAnsiQuoted } from "./ansi-quotes.ts";
import { hiddenPattern, type Scanner, Unreadable } from "./scanner.ts";

/** Null where only a shell knows what it becomes: a variable, a pattern or a substitution stands in it. */
export type ShellWord = string | null;

export interface ParsedWord {
  readonly word: ShellWord;
  /** The word as far as it is known. */
  readonly beginning: string;
  /** Nothing in it is substituted, joined over a line end, or hidden from a reader. */
  readonly isPlain: boolean;
  /** With its quotes. */
  readonly source: string;
  /** A line end behind a backslash stands outside of its quotes. */
  readonly isJoined: boolean;
}

/** What parsing a word needs of the parser of commands. */
export interface Substitutions {
  /** Parses the commands between two parentheses; the scanner is at the first. */
  readonly parseParentheses: (scanner: Scanner) => void;
  /** Parses the commands of a text that was quoted on its way here. */
  readonly parseText: (text: string) => void;
}

/** Parses one word; it may be empty. Commands that are substituted in it go to the parser of commands. */
export function parseWord(scanner: Scanner, within: Substitutions): ParsedWord {
  const start = scanner.at;
  const pieces: Piece[] = [];
  while (!scanner.sees(WORD_END)) pieces.push(parsePiece(scanner, { within, start }));
  const isJoined = pieces.some(({ kind }) => kind === "joined");
  // Bash joins the lines first: then the digits name an open file, or the dollar begins a substitution.
  if (isJoined && scanner.sees(/[<>]/y)) throw new Unreadable();
  const unknown = pieces.findIndex(({ kind }) => kind === "open" || kind === "substituted");
  const beginning = (unknown < 0 ? pieces : pieces.slice(0, unknown)).map(({ text }) => text).join("");
  return {
    word: unknown < 0 ? beginning : null,
    beginning: beginning + (pieces[unknown]?.text ?? ""),
    isPlain: pieces.every(({ kind }) => kind === "text" || kind === "open"),
    ...{ source: scanner.since(start), isJoined },
  };
}

const WORD_END = /[ \t\n;&|()]|[<>](?!\()|$/y;

/** Open: files or lists fill it in. Odd: known, and written in a way that a reader may misread. The text is what is known of it. */
interface Piece {
  readonly kind: "text" | "odd" | "joined" | "open" | "substituted";
  readonly text: string;
}

const OPEN: Piece = { kind: "open", text: "" };
const SUBSTITUTED: Piece = { kind: "substituted", text: "" };
const JOINED: Piece = { kind: "joined", text: "" };

function known(text: string): Piece {
  return { kind: hiddenPattern().test(text) ? "odd" : "text", text };
}

interface PieceOptions {
  readonly within: Substitutions;
  /** Where its word begins. */
  readonly start: number;
}

function parsePiece(scanner: Scanner, { within, start }: PieceOptions): Piece {
  switch (scanner.next) {
    case "'":
      return known(scanner.require(/'[^']*'/y).slice(1, -1));
    case '"':
      return parseQuoted(scanner, within);
    case "\\":
      return scanner.take(/\\\n/y) === null ? outsideQuotes(scanner.require(/\\[^\n]/y).slice(1)) : JOINED;
    case "$":
      return scanner.sees(/\$'/y) ? parseAnsiQuoted(scanner) : parseDollar(scanner, within);
    case "`":
      return parseBackticks(scanner, within);
    case "<":
    case ">":
      scanner.take(/[<>]/y);
      within.parseParentheses(scanner);
      return SUBSTITUTED;
  }
  const before = scanner.at === start ? "" : (scanner.text[scanner.at - 1] ?? "");
  // Behind a joined line what was before is not the character before.
  const isTildeOpen = before === "" || before === "=" || before === ":" || before === "\n";
  if (before === "" && scanner.take(/\[(?=[ \t\n;&|]|$)/y) !== null) return { kind: "odd", text: "[" };
  // One home or another, but nothing else than a path.
  if (isTildeOpen && scanner.take(/~(?=\/)/y) !== null) return { kind: "odd", text: "~" };
  if (scanner.take(isTildeOpen ? /[*?[{~]/y : /[*?[{]/y) !== null) return OPEN;
  return outsideQuotes(scanner.require(/~|[^~*?[{'"\\$` \t\n;&|()<>]+/y));
}

/** In some languages a shell takes odd blanks for blanks. */
function outsideQuotes(text: string): Piece {
  if (hiddenPattern().test(text)) throw new Unreadable();
  return { kind: "text", text };
}

function parseQuoted(scanner: Scanner, within: Substitutions): Piece {
  const pieces: Piece[] = [];
  scanner.require(/"/y);
  while (scanner.take(/"/y) === null) pieces.push(parseQuotedPiece(scanner, within));
  return joinPieces(pieces);
}

function joinPieces(pieces: readonly Piece[]): Piece {
  const unknown = pieces.findIndex(({ kind }) => kind === "substituted");
  const text = (unknown < 0 ? pieces : pieces.slice(0, unknown)).map((piece) => piece.text).join("");
  if (unknown >= 0) return { kind: "substituted", text };
  return { kind: pieces.some(({ kind }) => kind !== "text") ? "odd" : "text", text };
}

function parseQuotedPiece(scanner: Scanner, within: Substitutions): Piece {
  if (scanner.next === "`") return parseBackticks(scanner, within);
  if (scanner.take(/\$(?=")/y) !== null) return known("$");
  if (scanner.take(/\$(?=')/y) !== null) return { kind: "odd", text: "$" };
  if (scanner.next === "$") return parseDollar(scanner, within);
  if (scanner.next !== "\\") return known(scanner.require(/[^"\\$`]+/y));
  const escaped = scanner.require(/\\./sy);
  if (escaped === "\\\n") return { kind: "odd", text: "" };
  return known(/["\\$`]/.test(escaped.slice(1)) ? escaped.slice(1) : escaped);
}

/** Parses the body of a here-document whose last line was not quoted; null where something is substituted in it. */
export function parseDocumentBody(scanner: Scanner, within: Substitutions): string | null {
  const pieces: Piece[] = [];
  while (scanner.next !== "") {
    if (scanner.next === "`") pieces.push(parseBackticks(scanner, within));
    else if (scanner.sees(/\$["']/y)) pieces.push(known(scanner.require(/\$/y)));
    else if (scanner.next === "$") pieces.push(parseDollar(scanner, within));
    else pieces.push(known(scanner.take(/\\[\\$`]/y)?.slice(1) ?? scanner.require(/[^\\$`]+|\\/y)));
  }
  return pieces.some(({ kind }) => kind === "substituted") ? null : pieces.map(({ text }) => text).join("");
}

function parseAnsiQuoted(scanner: Scanner): Piece {
  const decoded = decodeAnsiQuoted(scanner.require(/\$'(?:[^'\\]|\\.)*'/sy).slice(2, -1));
  return decoded === null ? SUBSTITUTED : { kind: "odd", text: decoded };
}

function parseDollar(scanner: Scanner, within: Substitutions): Piece {
  // Bash joins the lines before it looks at what follows the dollar.
  if (scanner.sees(/\$\\\n/y)) throw new Unreadable();
  if (scanner.sees(/\$\(\(/y)) return parseArithmetic(scanner, within);
  if (scanner.take(/\$(?=\()/y) !== null) {
    within.parseParentheses(scanner);
    return SUBSTITUTED;
  }
  if (scanner.take(/\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y) !== null) return SUBSTITUTED;
  if (scanner.take(BRACED) !== null) return SUBSTITUTED;
  return known(scanner.require(/\$(?![({['"])/y));
}

/**
 * `${x}`, `${#x}`, `${x%.ts}`, `${x:-none}`, `${x//a/b}`: whatever quotes or substitutes in there is left to a shell. So is `${!x}` and
 * `${x@P}`, which make a name or a text of what the variable holds.
 */
const BRACED =
  /\$\{(?:[@*#?$!-]|#?\w+|\w+(?::?[-+?]|##?|%%?|\/\/?[#%]?|\^\^?|,,?)[^\\$`'"{}[\]<>()\n]*|\w+:\d+(?::\d+)?)\}/y;

/** A sum of numbers, variables and what commands print. One with a subscript could run a command that is hidden in a variable. */
function parseArithmetic(scanner: Scanner, within: Substitutions): Piece {
  scanner.require(/\$\(\(/y);
  let depth = 2;
  while (depth > 0) {
    if (scanner.take(/\$(?=\((?!\())/y) !== null) {
      within.parseParentheses(scanner);
      continue;
    }
    const sign = scanner.require(/[()]|(?:[\w\s+*/%<>=!&|^~?:,-]|\$\w+|\$\{\w+\})+/y);
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    // With another end than `))` it is a substitution whose first command stands in parentheses.
    if (sign === ")" && depth === 1) {
      scanner.require(/\)/y);
      depth = 0;
    }
  }
  return SUBSTITUTED;
}

function parseBackticks(scanner: Scanner, within: Substitutions): Piece {
  const inside = scanner.require(/`(?:[^`\\]|\\[^\n])*`/y).slice(1, -1);
  within.parseText(inside.replace(/\\([`\\$])/g, "$1"));
  return SUBSTITUTED;
}
