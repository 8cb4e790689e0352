/** Parses the words of a shell line: quotes, escapes, variables, substitutions, arithmetic and patterns. It expands nothing. */

/** An unquoted word, or null if it contains a variable, a pattern or a substitution, so that only a shell can expand it. */
export type ShellWord = string | null;

/** A parsed word. */
export interface ParseWordResult {
  readonly word: ShellWord;
  /** The word up to its first expansion. */
  readonly knownPrefix: string;
  /** Whether the word is unknown and each word that it expands to begins with its known beginning, as with `src/*.ts`. */
  readonly hasKnownStart: boolean;
  /** The word as a pattern, if its only expansions are `*`; otherwise null. */
  readonly pattern: string | null;
  /** Whether the word has no substitution, no line join and no hidden character. */
  readonly isPlain: boolean;
  /** The word with its quotes, as written. */
  readonly source: string;
  /** Whether a backslash outside quotes joins two lines. */
  readonly hasLineJoin: boolean;
}

/** Callbacks into the command parser, for commands inside words. */
export interface Substitutions {
  /** Parses the commands between two parentheses; the scanner is at the opening one. */
  readonly parseParentheses: (scanner: ShellScanner) => void;
  /** Parses the commands of a text between backticks, after its escapes were resolved. */
  readonly parseText: (text: string) => void;
}

/** Parses one word, which may be empty. Command substitutions in it go to the command parser. */
export function parseWord(scanner: ShellScanner, substitutions: Substitutions): ParseWordResult {
  const start = scanner.position;
  const pieces: WordPiece[] = [];
  while (!scanner.matches(WORD_END_PATTERN)) pieces.push(parsePiece(scanner, { substitutions, start }));
  const hasLineJoin = pieces.some(({ kind }) => kind === "lineJoin");
  // Bash joins the lines first: the digits may then be a descriptor, or the dollar may start a substitution.
  if (hasLineJoin && scanner.matches(/[<>]/y)) throw new ShellParseError();
  const unknownIndex = pieces.findIndex(({ kind }) => kind === "expansion" || kind === "substitution");
  const knownPrefix = (unknownIndex < 0 ? pieces : pieces.slice(0, unknownIndex)).map(({ text }) => text).join("");
  return {
    word: unknownIndex < 0 ? knownPrefix : null,
    knownPrefix: knownPrefix + (pieces[unknownIndex]?.text ?? ""),
    hasKnownStart: unknownIndex >= 0 && knownPrefix !== "" && pieces.every(isTextOrGlob),
    pattern: toPattern(pieces),
    isPlain: pieces.every(({ kind }) => kind === "text" || kind === "expansion"),
    ...{ source: scanner.sliceText(start), hasLineJoin },
  };
}

function isTextOrGlob({ kind }: WordPiece): boolean {
  return kind === "text" || kind === "unusual" || kind === "expansion";
}

/** A quoted `*` stands for itself, so a word that also has one is no pattern. */
function toPattern(pieces: readonly WordPiece[]): string | null {
  const isKnown = pieces.every((piece) =>
    piece.kind === "expansion" ? piece === STAR_PIECE : piece.kind !== "substitution" && !piece.text.includes("*"),
  );
  if (!isKnown || !pieces.includes(STAR_PIECE)) return null;
  return pieces.map((piece) => (piece === STAR_PIECE ? "*" : piece.text)).join("");
}

const WORD_END_PATTERN = /[ \t\n;&|()]|[<>](?!\()|$/y;

interface WordPiece {
  /** An `expansion` is a glob, brace or tilde. An `unusual` piece is known text that a reader may misread. */
  readonly kind: "text" | "unusual" | "lineJoin" | "expansion" | "substitution";
  /** The known text of the piece. */
  readonly text: string;
}

const EXPANSION_PIECE: WordPiece = { kind: "expansion", text: "" };
const STAR_PIECE: WordPiece = { kind: "expansion", text: "" };
const SUBSTITUTION_PIECE: WordPiece = { kind: "substitution", text: "" };
const LINE_JOIN_PIECE: WordPiece = { kind: "lineJoin", text: "" };

function toTextPiece(text: string): WordPiece {
  return { kind: invisibleCharPattern().test(text) ? "unusual" : "text", text };
}

/** Invisible characters, and spaces that are not the ASCII space. */
const invisibleCharPattern = (): RegExp => /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;

interface WordPieceOptions {
  readonly substitutions: Substitutions;
  /** The position where the word begins. */
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
  // After a line join, the previous character in the text is not the previous character of the word.
  const mayExpandTilde = previousChar === "" || previousChar === "=" || previousChar === ":" || previousChar === "\n";
  if (previousChar === "" && scanner.consume(/\[(?=[ \t\n;&|]|$)/y) !== null) return { kind: "unusual", text: "[" };
  // A home folder is unknown, but it is always a path.
  if (mayExpandTilde && scanner.consume(/~(?=\/)/y) !== null) return { kind: "unusual", text: "~" };
  if (scanner.consume(/\*/y) !== null) return STAR_PIECE;
  if (scanner.consume(mayExpandTilde ? /[*?[{~]/y : /[*?[{]/y) !== null) return EXPANSION_PIECE;
  return toUnquotedPiece(scanner.expect(/~|[^~*?[{'"\\$` \t\n;&|()<>]+/y));
}

/** Rejects hidden characters: in some locales a shell treats unusual spaces as blanks. */
function toUnquotedPiece(text: string): WordPiece {
  if (invisibleCharPattern().test(text)) throw new ShellParseError();
  return { kind: "text", text };
}

function parseQuoted(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  const pieces: WordPiece[] = [];
  scanner.expect(/"/y);
  while (scanner.consume(/"/y) === null) pieces.push(parseQuotedPiece(scanner, substitutions));
  return joinPieces(pieces);
}

function joinPieces(pieces: readonly WordPiece[]): WordPiece {
  const unknownIndex = pieces.findIndex(({ kind }) => kind === "substitution");
  const text = (unknownIndex < 0 ? pieces : pieces.slice(0, unknownIndex)).map((piece) => piece.text).join("");
  if (unknownIndex >= 0) return { kind: "substitution", text };
  return { kind: pieces.some(({ kind }) => kind !== "text") ? "unusual" : "text", text };
}

function parseQuotedPiece(scanner: ShellScanner, substitutions: Substitutions): WordPiece {
  if (scanner.next === "`") return parseBackticks(scanner, substitutions);
  if (scanner.consume(/\$(?=")/y) !== null) return toTextPiece("$");
  if (scanner.consume(/\$(?=')/y) !== null) return { kind: "unusual", text: "$" };
  if (scanner.next === "$") return parseDollar(scanner, substitutions);
  if (scanner.next !== "\\") return toTextPiece(scanner.expect(/[^"\\$`]+/y));
  const escaped = scanner.expect(/\\./sy);
  if (escaped === "\\\n") return { kind: "unusual", text: "" };
  return toTextPiece(/["\\$`]/.test(escaped.slice(1)) ? escaped.slice(1) : escaped);
}

/** Parses the body of a here-document with an unquoted delimiter. Returns null if it contains a substitution. */
export function parseHeredocBody(scanner: ShellScanner, substitutions: Substitutions): string | null {
  const pieces: WordPiece[] = [];
  while (scanner.next !== "") {
    if (scanner.next === "`") pieces.push(parseBackticks(scanner, substitutions));
    else if (scanner.matches(/\$["']/y)) pieces.push(toTextPiece(scanner.expect(/\$/y)));
    else if (scanner.next === "$") pieces.push(parseDollar(scanner, substitutions));
    else pieces.push(toTextPiece(scanner.consume(/\\[\\$`]/y)?.slice(1) ?? scanner.expect(/[^\\$`]+|\\/y)));
  }
  return pieces.some(({ kind }) => kind === "substitution") ? null : pieces.map(({ text }) => text).join("");
}

function parseAnsiQuoted(scanner: ShellScanner): WordPiece {
  const decoded = decodeAnsiQuoted(scanner.expect(/\$'(?:[^'\\]|\\.)*'/sy).slice(2, -1));
  return decoded === null ? SUBSTITUTION_PIECE : { kind: "unusual", text: decoded };
}

/** Decodes the text between `$'` and `'`, which has the escapes of C. Returns null if its bytes are not text. */
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

/** Returns null for a byte above 127, which is part of a character, and for a zero byte, which ends the text. */
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
  // Bash joins the lines before it reads what follows the dollar sign.
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
 * `${x}`, `${#x}`, `${x%.ts}`, `${x:-none}`, `${x//a/b}`. Quotes and substitutions inside are not matched; nor are `${!x}` and `${x@P}`,
 * which evaluate the value of the variable.
 */
const BRACE_EXPANSION_PATTERN =
  /\$\{(?:[@*#?$!-]|#?\w+|\w+(?::?[-+?]|##?|%%?|\/\/?[#%]?|\^\^?|,,?)[^\\$`'"{}[\]<>()\n]*|\w+:\d+(?::\d+)?)\}/y;

/** Parses `$((…))`. Rejects subscripts, which could run a command that is stored in a variable. */
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
    // Without `))` at the end it is a substitution whose first command is a subshell.
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

/** Thrown if a line is ambiguous or invalid, and caught by `parseShellLine`. */
export class ShellParseError extends Error {}

/** A here-document whose body begins after the next line break. */
export interface HeredocStart {
  readonly lastLine: string;
  /** Whether it was opened with `<<-`, which strips leading tabs. */
  readonly isIndented: boolean;
  /** Whether the delimiter is quoted, which makes the body plain text. */
  readonly isQuoted: boolean;
  /** Receives the body, or null if it contains a substitution. */
  readonly onBody: (body: string | null) => void;
}

/** Reads the text of a shell line from left to right. */
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

  /** Consumes a match at the current position. Returns null if there is none. */
  consume(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const [match] = pattern.exec(this.text) ?? [null];
    this.position += match?.length ?? 0;
    return match;
  }

  /** Consumes a match at the current position. Throws if there is none. */
  expect(pattern: RegExp): string {
    const match = this.consume(pattern);
    if (match === null) throw new ShellParseError();
    return match;
  }

  /** Consumes a line of a here-document and its line break, and returns the line. The last line of a text needs no line break. */
  consumeLine(): string {
    if (this.position >= this.text.length) throw new ShellParseError();
    const end = this.text.indexOf("\n", this.position);
    const line = this.text.slice(this.position, end < 0 ? this.text.length : end);
    this.position += line.length + 1;
    return line;
  }
}
