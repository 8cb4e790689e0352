/** Parses JSON with comments and trailing commas into an object with the line of each name, or says what is wrong and where. */

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

/** Takes linear time. Throws `Broken`, which nobody but the reader of the whole text sees. */
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
  ["sign", () => /[{}[\]:,]/y],
  ["text", () => /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y],
  ["number", () => /-?\d[\w.+-]*/y],
  ["word", () => /[\p{L}_$][\p{L}\p{N}_$.-]*/uy],
] as const;

function tokenAt(text: string, at: number): Token {
  for (const [type, pattern] of KINDS) {
    const raw = found(pattern(), text, at);
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

export type CommentedJson =
  | {
      readonly type: "object";
      readonly value: JsonObject;
      /** The line on which the value that lies there begins. */
      readonly lineOf: (path: readonly string[]) => number;
    }
  | { readonly type: "broken"; readonly why: string; readonly line: number; readonly column: number };

export function readCommentedJson(text: string): CommentedJson {
  const tokens = tokensIn(text);
  try {
    const first = next(tokens);
    const whole = placeOf(first, 0);
    const value = valueIn(first, tokens, whole);
    const rest = next(tokens);
    if (rest.type !== "end") throw new Broken("there is something behind the closing bracket; take it out", rest.at);
    if (!isObject(value)) throw new Broken("settings are one object: { … }", 0);
    return { type: "object", value, lineOf: (path) => lineAt(text, startOf(path, whole)) };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const before = text.slice(0, error.at);
    const column = error.at - before.lastIndexOf("\n");
    return { type: "broken", why: error.message, line: lineAt(text, error.at), column };
  }
}

type Tokens = Iterator<Token, Token>;

/** Where a value begins, and those that lie in it. */
interface Place {
  readonly at: number;
  readonly depth: number;
  readonly inner: Map<string, Place>;
}

function placeOf({ at }: Token, depth: number): Place {
  if (depth > DEEPEST) throw new Broken(`this lies more than ${DEEPEST} brackets deep`, at);
  return { at, depth, inner: new Map() };
}

const DEEPEST = 32;

function valueIn(token: Token, tokens: Tokens, place: Place): unknown {
  if (token.raw === "{") return objectOf(tokens, place);
  if (token.raw === "[") return listOf(tokens, place);
  if (token.type === "end") throw new Broken("the text ends too early; a bracket or a value is missing", token.at);
  if (token.type === "sign") throw new Broken(`a value is missing before ${token.raw}`, token.at);
  return parsed(token);
}

function objectOf(tokens: Tokens, { depth, inner }: Place): JsonObject {
  const entries = new Map<string, unknown>();
  for (let token = next(tokens); token.raw !== "}"; token = afterValue(tokens, "}")) {
    if (token.type !== "text") throw new Broken(`${noName(token)}: write { "name": value }`, token.at);
    const name = String(parsed(token));
    if (entries.has(name)) throw new Broken(`${clipped(token)} stands here a second time; keep one of them`, token.at);
    const colon = next(tokens);
    if (colon.raw !== ":") throw new Broken(`a colon is missing behind ${clipped(token)}`, colon.at);
    const first = next(tokens);
    const place = placeOf(first, depth + 1);
    inner.set(name, place);
    entries.set(name, valueIn(first, tokens, place));
  }
  // A name such as __proto__ is a name like any other.
  return Object.fromEntries(entries);
}

function listOf(tokens: Tokens, { depth }: Place): readonly unknown[] {
  const values: unknown[] = [];
  for (let token = next(tokens); token.raw !== "]"; token = afterValue(tokens, "]"))
    values.push(valueIn(token, tokens, placeOf(token, depth + 1)));
  return values;
}

/** What stands behind a comma, or the closing bracket. */
function afterValue(tokens: Tokens, closing: string): Token {
  const token = next(tokens);
  if (token.raw === ",") return next(tokens);
  if (token.raw === closing) return token;
  if (token.type === "end") throw new Broken(`the text ends too early; ${closing} is missing`, token.at);
  throw new Broken(`a comma or ${closing} is missing before this`, token.at);
}

function noName(token: Token): string {
  if (token.type === "end") return "the text ends too early";
  return token.type === "word" ? `the name ${clipped(token)} has no quotes` : "a name in double quotes is missing";
}

function parsed(token: Token): unknown {
  try {
    const value: unknown = JSON.parse(token.raw);
    if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return value;
  } catch {
    // Its own words say what stands there, but not where.
  }
  throw new Broken(whyNone(token), token.at);
}

function whyNone(token: Token): string {
  if (token.type === "text") return "this text holds a sign that must be escaped, such as a tab or a lone \\";
  return `${clipped(token)} is no value; texts stand in double quotes`;
}

function next(tokens: Tokens): Token {
  return tokens.next().value;
}

function clipped({ raw }: Token): string {
  return raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
}

/** As near as it is known. */
function startOf(path: readonly string[], whole: Place): number {
  return path.reduce((place, name) => place.inner.get(name) ?? place, whole).at;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Null for everything else. What stands there is quoted nowhere: it may be keys. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
