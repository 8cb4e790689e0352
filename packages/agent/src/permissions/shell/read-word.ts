/** One word of a shell line, its quotes taken off; what is substituted in it is read as commands of its own. */

import { type Reader, Unreadable, type Word } from "./reader.ts";

export interface ReadWord {
  readonly word: Word;
  /** Nothing in it is substituted. */
  readonly isPlain: boolean;
  /** With its quotes. */
  readonly written: string;
}

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
