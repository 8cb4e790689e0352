/** Parses the words of a shell line: quotes, escapes, variables, substitutions, arithmetic and patterns. It expands nothing. */

/** Null where only a shell knows what it becomes: a variable, a pattern or a substitution stands in it. */
export type ShellWord = string | null;

export interface ParseWordResult {
  readonly word: ShellWord;
  /** The word as far as it is known. */
  readonly knownPrefix: string;
  /** Nothing in it is substituted, joined over a line end, or hidden from a reader. */
  readonly isPlain: boolean;
  /** With its quotes. */
  readonly source: string;
  /** A line end behind a backslash stands outside of its quotes. */
  readonly hasLineJoin: boolean;
}

/** What parsing a word needs of the parser of commands. */
export interface Substitutions {
  /** Parses the commands between two parentheses; the scanner is at the first. */
  readonly parseParentheses: (scanner: ShellScanner) => void;
  /** Parses the commands of a text that was quoted on its way here. */
  readonly parseText: (text: string) => void;
}

/** Parses one word; it may be empty. Commands that are substituted in it go to the parser of commands. */
export function parseWord(scanner: ShellScanner, substitutions: Substitutions): ParseWordResult {
  const start = scanner.position;
  const pieces: WordPiece[] = [];
  while (!scanner.matches(WORD_END_PATTERN)) pieces.push(parsePiece(scanner, { substitutions, start }));
  const hasLineJoin = pieces.some(({ kind }) => kind === "joined");
  // Bash joins the lines first: then the digits name an open file, or the dollar begins a substitution.
  if (hasLineJoin && scanner.matches(/[<>]/y)) throw new ShellParseError();
  const unknownIndex = pieces.findIndex(({ kind }) => kind === "open" || kind === "substituted");
  const knownPrefix = (unknownIndex < 0 ? pieces : pieces.slice(0, unknownIndex)).map(({ text }) => text).join("");
  return {
    word: unknownIndex < 0 ? knownPrefix : null,
    knownPrefix: knownPrefix + (pieces[unknownIndex]?.text ?? ""),
    isPlain: pieces.every(({ kind }) => kind === "text" || kind === "open"),
    ...{ source: scanner.sliceText(start), hasLineJoin },
  };
}

const WORD_END_PATTERN = /[ \t\n;&|()]|[<>](?!\()|$/y;

/** Open: files or lists fill it in. Odd: known, and written in a way that a reader may misread. The text is what is known of it. */
interface WordPiece {
  readonly kind: "text" | "odd" | "joined" | "open" | "substituted";
  readonly text: string;
}

const OPEN_PIECE: WordPiece = { kind: "open", text: "" };
const SUBSTITUTION_PIECE: WordPiece = { kind: "substituted", text: "" };
const LINE_JOIN_PIECE: WordPiece = { kind: "joined", text: "" };

function toTextPiece(text: string): WordPiece {
  return { kind: hiddenCharPattern().test(text) ? "odd" : "text", text };
}

/** Blanks that only look like blanks, and characters that do not look like anything. */
export const hiddenCharPattern = (): RegExp => /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;

interface WordPieceOptions {
  readonly substitutions: Substitutions;
  /** Where its word begins. */
  readonly start: number;
}

function parsePiece(scanner: ShellScanner, { substitutions, start }: WordPieceOptions): WordPiece {
  switch (scanner.next) {
    case "'":
      return toTextPiece(scanner.expect(/'[^']*'/y).slice(1, -1));
    case '"':
      return parseQuoted(scanner, substitutions);
    case "\\":
      return scanner.consume(/\\\n/y) === null ? toUnquotedPiece(scanner.expect(/\\[^\n]/y).slice(1)) : LINE_JOIN_PIECE;
    case "$":
      return scanner.matches(/\$'/y) ? parseAnsiQuoted(scanner) : parseDollar(scanner, substitutions);
    case "`":
      return parseBackticks(scanner, substitutions);
    case "<":
    case ">":
      scanner.consume(/[<>]/y);
      substitutions.parseParentheses(scanner);
      return SUBSTITUTION_PIECE;
  }
  const previousChar = scanner.position === start ? "" : (scanner.text[scanner.position - 1] ?? "");
  // Behind a joined line what was before is not the character before.
  const isTildeOpen = previousChar === "" || previousChar === "=" || previousChar === ":" || previousChar === "\n";
  if (previousChar === "" && scanner.consume(/\[(?=[ \t\n;&|]|$)/y) !== null) return { kind: "odd", text: "[" };
  // One home or another, but nothing else than a path.
  if (isTildeOpen && scanner.consume(/~(?=\/)/y) !== null) return { kind: "odd", text: "~" };
  if (scanner.consume(isTildeOpen ? /[*?[{~]/y : /[*?[{]/y) !== null) return OPEN_PIECE;
  return toUnquotedPiece(scanner.expect(/~|[^~*?[{'"\\$` \t\n;&|()<>]+/y));
}

/** In some languages a shell takes odd blanks for blanks. */
function toUnquotedPiece(text: string): WordPiece {
  if (hiddenCharPattern().test(text)) throw new ShellParseError();
  return { kind: "text", text };
}

function parseQuoted(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  const pieces: WordPiece[] = [];
  scanner.expect(/"/y);
  while (scanner.consume(/"/y) === null) pieces.push(parseQuotedPiece(scanner, substitutions));
  return joinPieces(pieces);
}

function joinPieces(pieces: readonly WordPiece[]): WordPiece {
  const unknownIndex = pieces.findIndex(({ kind }) => kind === "substituted");
  const text = (unknownIndex < 0 ? pieces : pieces.slice(0, unknownIndex)).map((piece) => piece.text).join("");
  if (unknownIndex >= 0) return { kind: "substituted", text };
  return { kind: pieces.some(({ kind }) => kind !== "text") ? "odd" : "text", text };
}

function parseQuotedPiece(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  if (scanner.next === "`") return parseBackticks(scanner, substitutions);
  if (scanner.consume(/\$(?=")/y) !== null) return toTextPiece("$");
  if (scanner.consume(/\$(?=')/y) !== null) return { kind: "odd", text: "$" };
  if (scanner.next === "$") return parseDollar(scanner, substitutions);
  if (scanner.next !== "\\") return toTextPiece(scanner.expect(/[^"\\$`]+/y));
  const escaped = scanner.expect(/\\./sy);
  if (escaped === "\\\n") return { kind: "odd", text: "" };
  return toTextPiece(/["\\$`]/.test(escaped.slice(1)) ? escaped.slice(1) : escaped);
}

/** Parses the body of a here-document whose last line was not quoted; null where something is substituted in it. */
export function parseHeredocBody(scanner: ShellScanner, substitutions: Substitutions): string | null {
  const pieces: WordPiece[] = [];
  while (scanner.next !== "") {
    if (scanner.next === "`") pieces.push(parseBackticks(scanner, substitutions));
    else if (scanner.matches(/\$["']/y)) pieces.push(toTextPiece(scanner.expect(/\$/y)));
    else if (scanner.next === "$") pieces.push(parseDollar(scanner, substitutions));
    else pieces.push(toTextPiece(scanner.consume(/\\[\\$`]/y)?.slice(1) ?? scanner.expect(/[^\\$`]+|\\/y)));
  }
  return pieces.some(({ kind }) => kind === "substituted") ? null : pieces.map(({ text }) => text).join("");
}

function parseAnsiQuoted(scanner: ShellScanner): WordPiece {
  const decoded = decodeAnsiQuoted(scanner.expect(/\$'(?:[^'\\]|\\.)*'/sy).slice(2, -1));
  return decoded === null ? SUBSTITUTION_PIECE : { kind: "odd", text: decoded };
}

/** Null where its bytes are no text. */
function decodeAnsiQuoted(quoted: string): string | null {
  let isText = true;
  const text = quoted.replace(ANSI_ESCAPE_PATTERN, (match: string, code: string) => {
    const decoded = decodeEscape(code);
    isText &&= decoded !== null;
    return decoded ?? match;
  });
  return isText ? text : null;
}

const ANSI_ESCAPE_PATTERN = /\\([0-7]{1,3}|x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|c.|.)/gs;

function decodeEscape(code: string): string | null {
  const [char = ""] = code;
  if (/[0-7]/.test(char)) return decodeByte(Number.parseInt(code, 8) & 0xff);
  if (char === "x" && code.length > 1) return decodeByte(Number.parseInt(code.slice(1), 16));
  if (/[uU]/.test(char) && code.length > 1) return decodeCodePoint(Number.parseInt(code.slice(1), 16));
  if (char === "c" || char === "\n") return null;
  return ANSI_ESCAPE_CHARS[char] ?? `\\${code}`;
}

/** A byte above 127 is a part of a character, and a zero ends the text. */
function decodeByte(byte: number): string | null {
  return byte > 0 && byte < 128 ? String.fromCharCode(byte) : null;
}

function decodeCodePoint(point: number): string | null {
  const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : null;
}

const ANSI_ESCAPE_CHARS: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
  ...{ "\\": "\\", "'": "'", '"': '"', "?": "?" },
};

function parseDollar(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  // Bash joins the lines before it looks at what follows the dollar.
  if (scanner.matches(/\$\\\n/y)) throw new ShellParseError();
  if (scanner.matches(/\$\(\(/y)) return parseArithmetic(scanner, substitutions);
  if (scanner.consume(/\$(?=\()/y) !== null) {
    substitutions.parseParentheses(scanner);
    return SUBSTITUTION_PIECE;
  }
  if (scanner.consume(/\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y) !== null) return SUBSTITUTION_PIECE;
  if (scanner.consume(BRACE_EXPANSION_PATTERN) !== null) return SUBSTITUTION_PIECE;
  return toTextPiece(scanner.expect(/\$(?![({['"])/y));
}

/**
 * `${x}`, `${#x}`, `${x%.ts}`, `${x:-none}`, `${x//a/b}`: whatever quotes or substitutes in there is left to a shell. So is `${!x}` and
 * `${x@P}`, which make a name or a text of what the variable holds.
 */
const BRACE_EXPANSION_PATTERN =
  /\$\{(?:[@*#?$!-]|#?\w+|\w+(?::?[-+?]|##?|%%?|\/\/?[#%]?|\^\^?|,,?)[^\\$`'"{}[\]<>()\n]*|\w+:\d+(?::\d+)?)\}/y;

/** A sum of numbers, variables and what commands print. One with a subscript could run a command that is hidden in a variable. */
function parseArithmetic(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  scanner.expect(/\$\(\(/y);
  let depth = 2;
  while (depth > 0) {
    if (scanner.consume(/\$(?=\((?!\())/y) !== null) {
      substitutions.parseParentheses(scanner);
      continue;
    }
    const sign = scanner.expect(/[()]|(?:[\w\s+*/%<>=!&|^~?:,-]|\$\w+|\$\{\w+\})+/y);
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    // With another end than `))` it is a substitution whose first command stands in parentheses.
    if (sign === ")" && depth === 1) {
      scanner.expect(/\)/y);
      depth = 0;
    }
  }
  return SUBSTITUTION_PIECE;
}

function parseBackticks(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  const inside = scanner.expect(/`(?:[^`\\]|\\[^\n])*`/y).slice(1, -1);
  substitutions.parseText(inside.replace(/\\([`\\$])/g, "$1"));
  return SUBSTITUTION_PIECE;
}

/** Thrown where a line cannot be understood for certain, and caught where its parsing began. */
export class ShellParseError extends Error {}

/** A here-document whose body begins behind the next line end. */
export interface HeredocStart {
  readonly lastLine: string;
  /** Written `<<-`: tabs before its lines do not count. */
  readonly isIndented: boolean;
  /** A quoted last line makes the body plain text. */
  readonly isQuoted: boolean;
  /** Called with the body when it is reached: null where something is substituted in it. */
  readonly onBody: (body: string | null) => void;
}

export class ShellScanner {
  readonly text: string;
  position = 0;
  heredocs: HeredocStart[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.text[this.position] ?? "";
  }

  sliceText(start: number): string {
    return this.text.slice(start, this.position);
  }

  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    return pattern.test(this.text);
  }

  /** Goes past what is here; null where it is something else. */
  consume(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const [match] = pattern.exec(this.text) ?? [null];
    this.position += match?.length ?? 0;
    return match;
  }

  /** Goes past what has to be here. */
  expect(pattern: RegExp): string {
    const match = this.consume(pattern);
    if (match === null) throw new ShellParseError();
    return match;
  }

  /** Reads a line of a here-document, without its line end; the last line of a text needs none. */
  consumeLine(): string {
    if (this.position >= this.text.length) throw new ShellParseError();
    const end = this.text.indexOf("\n", this.position);
    const line = this.text.slice(this.position, end < 0 ? this.text.length : end);
    this.position += line.length + 1;
    return line;
  }
}
