/** Parses a shell line into its commands, nested ones too. What is not understood for certain makes the whole line unreadable. */

/** Null where only a shell could tell what it becomes. */
export type Word = string | null;

export interface Command {
  readonly words: readonly Word[];
  /** Nothing but words: no variable set, nothing substituted, redirected, remarked or nested. */
  readonly isPlain: boolean;
}

/** Thrown where a line is beyond us, and caught where its reading began. */
export class Unreadable extends Error {}

/** Reads commands up to the bracket that closes them, or to the end. */
export type ReadCommands = (reader: Reader, closing: ")" | "") => void;

export class Reader {
  readonly commands: Command[];
  readonly #text: string;
  readonly #readCommands: ReadCommands;
  #at = 0;
  #depth: number;

  constructor(text: string, readCommands: ReadCommands, outer?: Reader) {
    this.#text = text;
    this.#readCommands = readCommands;
    this.commands = outer?.commands ?? [];
    this.#depth = outer ? deeper(outer.#depth) : 0;
  }

  /** The letter we are at; empty at the end. */
  get next(): string {
    return this.#text[this.#at] ?? "";
  }

  get isNested(): boolean {
    return this.#depth > 0;
  }

  get place(): number {
    return this.#at;
  }

  since(place: number): string {
    return this.#text.slice(place, this.#at);
  }

  sees(sticky: RegExp): boolean {
    sticky.lastIndex = this.#at;
    return sticky.test(this.#text);
  }

  /** Goes past what is here; null where it is something else. */
  take(sticky: RegExp): string | null {
    sticky.lastIndex = this.#at;
    const [taken] = sticky.exec(this.#text) ?? [null];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  /** The commands between two brackets; we are at the first. */
  readBrackets(): void {
    this.#depth = deeper(this.#depth);
    this.#at += 1;
    this.#readCommands(this, ")");
    this.#at += 1;
    this.#depth -= 1;
  }

  /** The commands of a text that was quoted on its way here. */
  readAside(text: string): void {
    this.#readCommands(new Reader(text, this.#readCommands, this), "");
  }
}

const DEEPEST = 20;

function deeper(depth: number): number {
  if (depth >= DEEPEST) throw new Unreadable();
  return depth + 1;
}

export interface ReadWord {
  readonly word: Word;
  /** Nothing in it is substituted. */
  readonly isPlain: boolean;
  /** With its quotes. */
  readonly written: string;
}

/** Reads one word without its quotes; commands substituted in it are added to `reader.commands`. */
export function readWord(reader: Reader): ReadWord {
  const start = reader.place;
  const pieces: Piece[] = [];
  while (!reader.sees(/[ \t\n;&|()]|[<>](?!\()|$/y)) pieces.push(readPiece(reader, start));
  const isKnown = pieces.every((piece) => typeof piece === "string");
  return {
    word: isKnown ? pieces.join("") : null,
    isPlain: !pieces.includes(SUBSTITUTED),
    written: reader.since(start),
  };
}

/** A pattern that files will fill in, or something that is put there by the shell. */
type Piece = string | typeof OPEN | typeof SUBSTITUTED;
const OPEN: unique symbol = Symbol("open");
const SUBSTITUTED: unique symbol = Symbol("substituted");

function readPiece(reader: Reader, start: number): Piece {
  switch (reader.next) {
    case "'":
      return orUnreadable(reader.take(/'[^']*'/y)).slice(1, -1);
    case '"':
      return readQuoted(reader);
    case "\\":
      return orUnreadable(reader.take(/\\[^\n]/y)).slice(1);
    case "$":
      return readDollar(reader);
    case "`":
      return readBackticks(reader);
    case "<":
    case ">":
      return readPipe(reader);
  }
  const open = /(?:^|[=:])$/.test(reader.since(start)) ? /[*?[{~]/y : /[*?[{]/y;
  return reader.take(open) === null ? orUnreadable(reader.take(/~|[^~*?[{'"\\$` \t\n;&|()<>]+/y)) : OPEN;
}

function readQuoted(reader: Reader): Piece {
  const pieces: Piece[] = [];
  reader.take(/"/y);
  while (reader.take(/"/y) === null) pieces.push(readQuotedPiece(reader));
  return pieces.includes(SUBSTITUTED) ? SUBSTITUTED : pieces.join("");
}

function readQuotedPiece(reader: Reader): Piece {
  if (reader.next === "`") return readBackticks(reader);
  if (reader.next === "$") return reader.take(/\$(?=")/y) ?? readDollar(reader);
  if (reader.next !== "\\") return orUnreadable(reader.take(/[^"\\$`]+/y));
  const escaped = orUnreadable(reader.take(/\\[^\n]/y));
  return /["\\$`]/.test(escaped.slice(1)) ? escaped.slice(1) : escaped;
}

function readDollar(reader: Reader): Piece {
  if (reader.take(/\$(?=\((?!\())/y) !== null) {
    reader.readBrackets();
    return SUBSTITUTED;
  }
  const variable = reader.take(/\$(?:[A-Za-z_]\w*|[\d@*#?$!-]|\{(?:\w+|[@*#?$!-])\})/y);
  if (variable !== null) return SUBSTITUTED;
  // Sums, quotes of C and what can be made of a variable: they have a grammar of their own.
  return orUnreadable(reader.take(/\$(?![({['"])/y));
}

/** A command in brackets whose end of a pipe stands in the word. */
function readPipe(reader: Reader): Piece {
  reader.take(/[<>]/y);
  reader.readBrackets();
  return SUBSTITUTED;
}

function readBackticks(reader: Reader): Piece {
  const inside = orUnreadable(reader.take(/`(?:[^`\\]|\\[^\n])*`/y)).slice(1, -1);
  reader.readAside(inside.replace(/\\([`\\$])/g, "$1"));
  return SUBSTITUTED;
}

function orUnreadable(taken: string | null): string {
  if (taken === null) throw new Unreadable();
  return taken;
}

/** Nowhere: to another stream of the same command, or to where everything is lost. */
export type Redirection = "nowhere" | "elsewhere";

export function readRedirection(reader: Reader): Redirection {
  const operator = reader.take(/\d*(?:<<<|<>|<&|<(?!<)|>>|>&|>\||>)|&>>?/y);
  // Here-documents end where their own word says.
  if (operator === null || reader.next === "(") throw new Unreadable();
  reader.take(/[ \t]+/y);
  // To bash the dash that closes a stream ends there: `>&-rm x` runs rm.
  if (operator.endsWith("&") && reader.take(/-/y) !== null) return "elsewhere";
  const { word } = readWord(reader);
  const isJoined = operator.endsWith(">&") && (word === "1" || word === "2");
  return isJoined || (word === "/dev/null" && !operator.endsWith("<<<")) ? "nowhere" : "elsewhere";
}

/** Every command of it, in no particular order; null where the line is beyond us. */
export function readLine(line: string): readonly Command[] | null {
  if (line.length > LONGEST || FOREIGN.test(line)) return null;
  const reader = new Reader(line, readCommands);
  try {
    readCommands(reader, "");
    return reader.commands;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const LONGEST = 20_000;
// Blanks that only look like blanks, and signs that do not look like anything.
const FOREIGN = /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;

function readCommands(reader: Reader, closing: ")" | ""): void {
  do readCommand(reader);
  while (reader.take(/&&|\|\||\|&|;(?![;&|])|[&|\n]/y) !== null);
  if (reader.next !== closing) throw new Unreadable();
}

interface Draft {
  readonly words: Word[];
  isPlain: boolean;
  /** From here on no word is grammar. */
  isBegun: boolean;
}

function readCommand(reader: Reader): void {
  const draft: Draft = { words: [], isPlain: true, isBegun: false };
  while (!isAtEnd(reader)) {
    if (reader.next === "#") skipRemark(reader, draft);
    else if (reader.next === "(") readGroup(reader, draft);
    else if (reader.sees(/\d*[<>](?!\()|&>/y)) redirect(reader, draft);
    else addWord(reader, draft);
  }
  const isEmpty = draft.words.length === 0 && draft.isPlain;
  if (!isEmpty) reader.commands.push({ words: draft.words, isPlain: draft.isPlain && !reader.isNested });
}

function isAtEnd(reader: Reader): boolean {
  reader.take(/(?:[ \t]|\\\n)+/y);
  return reader.sees(/&(?!>)|[;|\n)]|$/y);
}

function skipRemark(reader: Reader, draft: Draft): void {
  reader.take(/[^\n]*/y);
  draft.isPlain = false;
}

// Behind a word, a bracket would begin a function.
function readGroup(reader: Reader, draft: Draft): void {
  if (draft.words.length > 0) throw new Unreadable();
  reader.readBrackets();
  draft.isPlain = false;
}

function redirect(reader: Reader, draft: Draft): void {
  const redirection = readRedirection(reader);
  draft.isPlain &&= redirection === "nowhere";
  draft.isBegun = true;
}

function addWord(reader: Reader, draft: Draft): void {
  const { word, isPlain, written } = readWord(reader);
  const isFirst = draft.words.length === 0;
  if (isFirst && (UNKNOWN_GRAMMAR.has(written) || COMPUTED.test(written))) throw new Unreadable();
  const isKeyword = !draft.isBegun && KEYWORDS.has(written);
  const isSetting = isFirst && SETTING.test(written);
  // At the beginning of a pipe it is grammar, behind one a command.
  const isTiming = isFirst && written === "time";
  if (!isKeyword && !isSetting) draft.words.push(word);
  draft.isPlain &&= isPlain && !isKeyword && !isSetting && !isTiming;
  draft.isBegun ||= !isKeyword;
}

/** They stand before a command or behind the last, and are none. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["!", "{", "}", "if", "then", "elif", "else", "fi"],
  ...["for", "while", "until", "do", "done"],
]);
const UNKNOWN_GRAMMAR: ReadonlySet<string> = new Set(["case", "esac", "select", "function", "coproc", "[[", "]]"]);
const SETTING = /^[A-Za-z_]\w*(?:\[\d+\])?\+?=/;
// A subscript is computed, and what is substituted in it is run even where it is quoted.
const COMPUTED = /^[A-Za-z_]\w*\[(?!\d+\])/;
