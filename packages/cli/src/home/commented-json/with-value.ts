/** A value put into a text of JSON with comments: all else, comments included, stays as somebody wrote it. Pure. */

import { readCommentedJson } from "./read-commented-json.ts";
import { type Token, tokensIn } from "./tokens.ts";

/** Null where the text is broken, or something on the way is no object. */
export function withValue(text: string, path: readonly string[], value: unknown): string | null {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  if (readCommentedJson(text).type === "broken") return null;
  return changed(text, { tokens: [...tokensIn(text)], at: 0, path, depth: 1 }, value);
}

interface Spot {
  readonly tokens: readonly Token[];
  /** The token that opens the object. */
  readonly at: number;
  readonly path: readonly string[];
  readonly depth: number;
}

function changed(text: string, { tokens, at, path, depth }: Spot, value: unknown): string | null {
  const [name = "", ...deeper] = path;
  if (tokens[at]?.raw !== "{") return null;
  const found = memberOf(tokens, at, name);
  if (found === null) return inserted(text, { tokens, at, path, depth }, value);
  if (deeper.length > 0) return changed(text, { tokens, at: found, path: deeper, depth: depth + 1 }, value);
  const last = tokens[endOf(tokens, found)];
  const to = (last?.at ?? 0) + (last?.raw.length ?? 0);
  return text.slice(0, tokens[found]?.at) + JSON.stringify(value) + text.slice(to);
}

/** The first token of that member's value. */
function memberOf(tokens: readonly Token[], open: number, name: string): number | null {
  for (let at = open + 1; at < tokens.length && tokens[at]?.raw !== "}"; ) {
    if (JSON.parse(tokens[at]?.raw ?? "") === name) return at + 2;
    at = endOf(tokens, at + 2) + 1;
    if (tokens[at]?.raw === ",") at += 1;
  }
  return null;
}

/** The last token of the value that begins here. */
function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { raw = "" } = tokens[at] ?? {};
    if (raw === "{" || raw === "[") depth += 1;
    if (raw === "}" || raw === "]") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}

/** As the first of its object: nothing need be known of a comma behind the last. */
function inserted(text: string, { tokens, at, path, depth }: Spot, value: unknown): string {
  const [name = "", ...deeper] = path;
  const from = (tokens[at]?.at ?? 0) + 1;
  const [indent, outer] = ["  ".repeat(depth), "  ".repeat(depth - 1)];
  const before = `${text.slice(0, from)}\n${indent}${JSON.stringify(name)}: ${JSON.stringify(nested(deeper, value))}`;
  const behind = text.slice(from);
  if (tokens[at + 1]?.raw === "}") return `${before}\n${outer}${behind.trimStart()}`;
  return /^\s*\n/.test(behind) ? `${before},${behind}` : `${before},\n${indent}${behind.trimStart()}`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}
