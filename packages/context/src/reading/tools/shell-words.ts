/** One word of a shell line, with its quotes taken off. A word that only a shell could make out stays open. */

/** Null where a variable, a pattern or a substitution stands in it. */
export type Word = string | null;

export interface ReadWord {
  readonly word: Word;
  /** Where the text goes on. */
  readonly end: number;
}

export const BLANKS: ReadonlySet<string> = new Set([" ", "\t", "\r"]);
export const SEPARATORS: ReadonlySet<string> = new Set([";", "&", "|", "(", ")"]);

export function readWord(text: string, from: number): ReadWord {
  let said = "";
  let isOpen = false;
  let at = from;
  while (at < text.length && !WORD_ENDS.has(text[at] ?? "")) {
    const piece = pieceAt(text, at);
    said += piece.said;
    isOpen ||= piece.isOpen;
    at += piece.length;
  }
  return { word: isOpen ? null : said, end: at };
}

const WORD_ENDS: ReadonlySet<string> = new Set([...BLANKS, ...SEPARATORS, "\n", "<", ">"]);
const OPEN_LETTERS: ReadonlySet<string> = new Set(["$", "`", "*", "?", "[", "{"]);

interface Piece {
  readonly said: string;
  readonly isOpen: boolean;
  /** In the text, quotes included. */
  readonly length: number;
}

function pieceAt(text: string, at: number): Piece {
  const letter = text[at] ?? "";
  if (letter === "'") return singleQuoted(text, at);
  if (letter === '"') return doubleQuoted(text, at);
  if (letter === "\\") return escaped(text[at + 1] ?? "");
  return { said: letter, isOpen: OPEN_LETTERS.has(letter), length: 1 };
}

function singleQuoted(text: string, at: number): Piece {
  const close = text.indexOf("'", at + 1);
  const end = close < 0 ? text.length : close;
  return { said: text.slice(at + 1, end), isOpen: close < 0, length: end + 1 - at };
}

function doubleQuoted(text: string, at: number): Piece {
  let said = "";
  let isOpen = false;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') {
    const letter = text[end] ?? "";
    const next = text[end + 1] ?? "";
    const isEscape = letter === "\\" && ESCAPED_IN_QUOTES.has(next);
    said += isEscape ? next : letter;
    isOpen ||= letter === "$" || letter === "`";
    end += isEscape ? 2 : 1;
  }
  return { said, isOpen: isOpen || end >= text.length, length: end + 1 - at };
}

const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(['"', "\\", "$", "`"]);

// A line end behind a backslash joins two lines.
function escaped(next: string): Piece {
  return { said: next === "\n" ? "" : next, isOpen: false, length: 2 };
}
