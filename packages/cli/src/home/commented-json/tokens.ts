/** A text of JSON with comments, one token after the other: each is found by one look at its letters, and none is looked at twice. */

export interface Token {
  readonly type: "sign" | "text" | "number" | "word" | "end";
  /** As it is written. */
  readonly raw: string;
  readonly at: number;
}

/** What is wrong there, for people. */
export class Broken extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Throws `Broken`, which nobody but the reader of the whole text sees. */
export function* tokensIn(text: string): Generator<Token, Token> {
  for (let at = spaceFrom(text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    yield token;
    at = spaceFrom(text, at + token.raw.length);
  }
  return { type: "end", raw: "", at: text.length };
}

const SPACE = /[\s\ufeff]*/y;
const LINE = /\/\/[^\n\r]*/y;

function spaceFrom(text: string, from: number): number {
  for (let at = from; ; ) {
    const space = found(SPACE, text, at)?.length ?? 0;
    const comment = commentAt(text, at + space);
    at += space + comment;
    if (comment === 0) return at;
  }
}

function commentAt(text: string, at: number): number {
  if (text.startsWith("//", at)) return found(LINE, text, at)?.length ?? 0;
  if (!text.startsWith("/*", at)) return 0;
  const end = text.indexOf("*/", at + 2);
  if (end < 0) throw new Broken("a comment begins here and never ends; write */ behind it", at);
  return end + 2 - at;
}

const KINDS = [
  ["sign", /[{}[\]:,]/y],
  ["text", /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y],
  ["number", /-?\d[\w.+-]*/y],
  ["word", /[\p{L}_$][\p{L}\p{N}_$.-]*/uy],
] as const;

function tokenAt(text: string, at: number): Token {
  for (const [type, pattern] of KINDS) {
    const raw = found(pattern, text, at);
    if (raw !== null) return { type, raw, at };
  }
  if (text[at] === '"') throw new Broken('a text begins here and does not end on its line; write " behind it', at);
  if (text[at] === "'") throw new Broken('texts stand in double quotes: "…"', at);
  throw new Broken(`${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} has no place here`, at);
}

function found(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
