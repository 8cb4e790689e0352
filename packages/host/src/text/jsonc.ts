/** Parses JSON with comments and trailing commas into an object with the line of each member, or into an error with its position. */

export interface Token {
  readonly type: "punctuation" | "string" | "number" | "word" | "end";
  /** The source text of the token. */
  readonly raw: string;
  readonly offset: number;
}

class JsoncSyntaxError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Takes linear time. Throws `JsoncSyntaxError`, which `parseJsonc` catches. */
export function* tokenize(text: string): Generator<Token, Token> {
  for (let offset = skipSpaceAndComments(text, 0); offset < text.length; ) {
    const token = readToken(text, offset);
    yield token;
    offset = skipSpaceAndComments(text, offset + token.raw.length);
  }
  return { type: "end", raw: "", offset: text.length };
}

const SPACE_PATTERN = /[\s\ufeff]*/y;

const LINE_COMMENT_PATTERN = /\/\/[^\n\r]*/y;

function skipSpaceAndComments(text: string, start: number): number {
  for (let offset = start; ; ) {
    const spaceLength = matchAt(SPACE_PATTERN, text, offset)?.length ?? 0;
    const commentLength = measureComment(text, offset + spaceLength);
    offset += spaceLength + commentLength;
    if (commentLength === 0) return offset;
  }
}

function measureComment(text: string, offset: number): number {
  if (text.startsWith("//", offset)) return matchAt(LINE_COMMENT_PATTERN, text, offset)?.length ?? 0;
  if (!text.startsWith("/*", offset)) return 0;
  const end = text.indexOf("*/", offset + 2);
  if (end < 0) throw new JsoncSyntaxError("unterminated comment; add */ at its end", offset);
  return end + 2 - offset;
}

const TOKEN_PATTERNS = [
  ["punctuation", () => /[{}[\]:,]/y],
  ["string", () => /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y],
  ["number", () => /-?\d[\w.+-]*/y],
  ["word", () => /[\p{L}_$][\p{L}\p{N}_$.-]*/uy],
] as const;

function readToken(text: string, offset: number): Token {
  for (const [type, pattern] of TOKEN_PATTERNS) {
    const raw = matchAt(pattern(), text, offset);
    if (raw !== null) return { type, raw, offset };
  }
  if (text[offset] === '"') throw new JsoncSyntaxError('unterminated string; add " at its end', offset);
  if (text[offset] === "'") throw new JsoncSyntaxError('strings need double quotes: "…"', offset);
  throw new JsoncSyntaxError(
    `unexpected character ${JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0))}`,
    offset,
  );
}

function matchAt(pattern: RegExp, text: string, offset: number): string | null {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? null;
}

export type ParseJsoncResult =
  | {
      readonly type: "object";
      readonly value: JsonObject;
      /** Returns the line on which the value at the path starts. */
      readonly findLine: (path: readonly string[]) => number;
    }
  | { readonly type: "invalid"; readonly message: string; readonly line: number; readonly column: number };

export function parseJsonc(text: string): ParseJsoncResult {
  const tokens = tokenize(text);
  try {
    const firstToken = nextToken(tokens);
    const root = createNode(firstToken, 0);
    const value = parseValue(firstToken, tokens, root);
    const extraToken = nextToken(tokens);
    if (extraToken.type !== "end")
      throw new JsoncSyntaxError("unexpected text after the closing bracket; remove it", extraToken.offset);
    if (!isObject(value)) throw new JsoncSyntaxError("the file must contain one object: { … }", 0);
    return { type: "object", value, findLine: (path) => countLines(text, findOffset(path, root)) };
  } catch (error) {
    if (!(error instanceof JsoncSyntaxError)) throw error;
    const before = text.slice(0, error.offset);
    const column = error.offset - before.lastIndexOf("\n");
    return { type: "invalid", message: error.message, line: countLines(text, error.offset), column };
  }
}

type TokenIterator = Iterator<Token, Token>;

/** The position of a value, and the values in it. */
interface ValueNode {
  readonly offset: number;
  readonly depth: number;
  readonly children: Map<string, ValueNode>;
}

function createNode({ offset }: Token, depth: number): ValueNode {
  if (depth > MAX_DEPTH) throw new JsoncSyntaxError(`nested more than ${MAX_DEPTH} levels deep`, offset);
  return { offset, depth, children: new Map() };
}

const MAX_DEPTH = 32;

function parseValue(token: Token, tokens: TokenIterator, node: ValueNode): unknown {
  if (token.raw === "{") return parseObject(tokens, node);
  if (token.raw === "[") return parseArray(tokens, node);
  if (token.type === "end")
    throw new JsoncSyntaxError("unexpected end of the file; a bracket or a value is missing", token.offset);
  if (token.type === "punctuation") throw new JsoncSyntaxError(`a value is missing before ${token.raw}`, token.offset);
  return parseLiteral(token);
}

function parseObject(tokens: TokenIterator, { depth, children }: ValueNode): JsonObject {
  const entries = new Map<string, unknown>();
  for (let token = nextToken(tokens); token.raw !== "}"; token = skipComma(tokens, "}")) {
    if (token.type !== "string")
      throw new JsoncSyntaxError(`${describeMissingName(token)}: write { "name": value }`, token.offset);
    const name = String(parseLiteral(token));
    if (entries.has(name))
      throw new JsoncSyntaxError(`duplicate name ${truncateToken(token)}; keep one of them`, token.offset);
    const colon = nextToken(tokens);
    if (colon.raw !== ":") throw new JsoncSyntaxError(`a colon is missing after ${truncateToken(token)}`, colon.offset);
    const valueToken = nextToken(tokens);
    const node = createNode(valueToken, depth + 1);
    children.set(name, node);
    entries.set(name, parseValue(valueToken, tokens, node));
  }
  // `fromEntries` treats a name such as `__proto__` like any other.
  return Object.fromEntries(entries);
}

function parseArray(tokens: TokenIterator, { depth }: ValueNode): readonly unknown[] {
  const values: unknown[] = [];
  for (let token = nextToken(tokens); token.raw !== "]"; token = skipComma(tokens, "]"))
    values.push(parseValue(token, tokens, createNode(token, depth + 1)));
  return values;
}

/** Returns the token after the comma, or the closing bracket. */
function skipComma(tokens: TokenIterator, closingBracket: string): Token {
  const token = nextToken(tokens);
  if (token.raw === ",") return nextToken(tokens);
  if (token.raw === closingBracket) return token;
  if (token.type === "end")
    throw new JsoncSyntaxError(`unexpected end of the file; ${closingBracket} is missing`, token.offset);
  throw new JsoncSyntaxError(`a comma or ${closingBracket} is missing before this`, token.offset);
}

function describeMissingName(token: Token): string {
  if (token.type === "end") return "unexpected end of the file";
  return token.type === "word"
    ? `the name ${truncateToken(token)} has no quotes`
    : "a name in double quotes is missing";
}

function parseLiteral(token: Token): unknown {
  try {
    const value: unknown = JSON.parse(token.raw);
    if (value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY) return value;
  } catch {
    // The error below adds the position, which the message of `JSON.parse` lacks.
  }
  throw new JsoncSyntaxError(describeInvalidLiteral(token), token.offset);
}

function describeInvalidLiteral(token: Token): string {
  if (token.type === "string")
    return "this string contains a character that must be escaped, such as a tab or a single \\";
  return `${truncateToken(token)} is not a value; strings need double quotes`;
}

function nextToken(tokens: TokenIterator): Token {
  return tokens.next().value;
}

function truncateToken({ raw }: Token): string {
  return raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
}

/** Returns the offset of the value at the path, or of its nearest known parent. */
function findOffset(path: readonly string[], root: ValueNode): number {
  return path.reduce((node, name) => node.children.get(name) ?? node, root).offset;
}

function countLines(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses strict JSON. Null if the text is not an object. No error quotes the text, because it may contain keys. */
export function parseJsonObject(text: string): JsonObject | null {
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
