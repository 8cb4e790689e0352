/**
 * Finds the functions of a file and measures them, as text that Biome has formatted. Not seen: the length of an arrow whose body is an
 * expression, and a function whose return type spans lines. An arrow type is seen as a function without a body.
 */

import { closing, lineAt, parts, type Source } from "./source.ts";

export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  /** 0 if the length cannot be seen. */
  readonly lines: number;
  readonly parameters: number;
}

export function functions(source: Source): MeasuredFunction[] {
  return [...source.code.matchAll(/\(/g)].flatMap(({ index }) => functionAt(source, index));
}

function functionAt({ code }: Source, open: number): MeasuredFunction[] {
  const close = closing(code, open);
  const body = bodyAfter(code, close + 1);
  if (body === null || (body.kind === "block" && isStatement(code, open))) return [];
  const line = lineAt(code, open);
  const lines = body.open === null ? 0 : lineAt(code, closing(code, body.open)) - line + 1;
  return [{ name: nameBefore(code, open), line, lines, parameters: parts(code.slice(open + 1, close)).length }];
}

interface Body {
  readonly kind: "block" | "arrow";
  /** Where its brace opens; null for an expression. */
  readonly open: number | null;
}

// After the parameters come `=>`, `{` or a return type with one of the two behind it, all on the same line.
function bodyAfter(code: string, from: number): Body | null {
  if (!/^ ?(?:=>|\{|:)/.test(code.slice(from, from + 3))) return null;
  for (let at = from; at < code.length; at++) {
    const character = code.charAt(at);
    if ("\n;)]}".includes(character)) return null;
    if (code.startsWith("=>", at)) return arrowBody(code, at + 2);
    if (character === "{" && !isInType(code, at)) return { kind: "block", open: at };
    if ("([{".includes(character)) at = closing(code, at);
  }
  return null;
}

function arrowBody(code: string, from: number): Body {
  const [space = ""] = /^\s*\(?/.exec(code.slice(from, from + 200)) ?? [];
  const open = from + space.length;
  return { kind: "arrow", open: code[open] === "{" ? open : null };
}

function isInType(code: string, brace: number): boolean {
  return /[:|&<,(]$/.test(code.slice(Math.max(0, brace - 20), brace).trimEnd());
}

function isStatement(code: string, open: number): boolean {
  return /\b(?:if|for|for await|while|switch|catch|with)\s*$/.test(code.slice(Math.max(0, open - 20), open));
}

const nameShapes: readonly RegExp[] = [
  /\b(?:const|let)\s+([\w$]+)[^=;]*=\s*(?:async\s*)?$/,
  /([\w$]+)\??:\s*(?:async\s*)?$/,
  /(?<![\w$])(?!async\b|function\b|return\b)([\w$#]+)\s*(?:<[^()]*>)?$/,
];

function nameBefore(code: string, open: number): string {
  const before = code.slice(Math.max(0, open - 200), open);
  return nameShapes.map((shape) => shape.exec(before)?.[1]).find((name) => name !== undefined) ?? "a function";
}
