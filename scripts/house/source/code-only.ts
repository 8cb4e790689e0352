/** Blanks comments and the insides of strings, templates and regular expressions; every character keeps its place. */

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
