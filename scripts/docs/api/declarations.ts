/** Reads the declarations of a source file: name, signature without bodies, and comment. */

import { closing, lineAt, type Source } from "../../source/source.ts";

/** Where a statement or a field ends. */
export function endAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === ";");
}

/** Where a value begins; an arrow is part of a type. */
export function equalsAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === "=" && code[at + 1] !== ">");
}

/** Where a body begins: at the brace that is closed at the end of a line. Behind one of a type there is more. */
export function bodyAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === "{" && /^(?:\n|$)/.test(code.slice(closing(code, at) + 1)));
}

function firstOutside(code: string, from: number, isIt: (at: number) => boolean): number {
  for (let at = from; at < code.length; at++) {
    if (isIt(at)) return at;
    if ("([{".includes(code.charAt(at))) at = closing(code, at);
  }
  return code.length;
}

export function classOutline({ text, code }: Source, from: number): string {
  const open = code.indexOf("{", from);
  const close = closing(code, open);
  const members: string[] = [];
  for (let at = open + 1; code.slice(at, close).trim() !== ""; ) {
    const { head, end } = extent(code, at);
    const start = at + code.slice(at).search(/\S/);
    if (isPublic(code.slice(start))) members.push(...outlined(text.slice(at, start), text.slice(start, head)));
    at = end;
  }
  return [text.slice(from, open + 1), ...members, "}"].join("\n");
}

interface Extent {
  /** Where what one sees from outside ends. */
  readonly head: number;
  readonly end: number;
}

function extent(code: string, at: number): Extent {
  const end = endAt(code, at);
  const body = bodyAt(code, at);
  if (end < body) return { head: Math.min(end, equalsAt(code, at)), end: end + 1 };
  return { head: body, end: closing(code, body) + 1 };
}

function isPublic(code: string): boolean {
  return !/^(?:(?:static|readonly|async|abstract)\s+)*(?:#|private\b|protected\b)/.test(code);
}

function outlined(before: string, head: string): readonly string[] {
  const comment = /[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(before)?.[0].trimEnd();
  const member = `  ${head.replace(/\basync /, "").trimEnd()};`;
  return comment === undefined ? [member] : [comment, member];
}

export type Keyword = "function" | "const" | "class" | "interface" | "type";

export interface Declared {
  readonly keyword: Keyword;
  /** Where it begins, behind `export` and `async`. */
  readonly from: number;
}

export function signature(source: Source, { keyword, from }: Declared): string {
  const { text, code } = source;
  switch (keyword) {
    case "function":
      return text.slice(from, functionEnd(code, from)).trimEnd();
    case "const":
      return constant(source, from);
    case "class":
      return classOutline(source, from);
    case "interface":
      return text.slice(from, closing(code, code.indexOf("{", from)) + 1);
    case "type":
      return text.slice(from, endAt(code, from));
  }
}

// An overload ends with its semicolon, the others where their body begins.
function functionEnd(code: string, from: number): number {
  const behind = closing(code, code.indexOf("(", from)) + 1;
  return Math.min(bodyAt(code, behind), endAt(code, behind));
}

// One without a type says by its value what it is, if that is short.
function constant({ text, code }: Source, from: number): string {
  const equals = equalsAt(code, from);
  const head = text.slice(from, equals).trimEnd();
  const whole = text.slice(from, endAt(code, equals));
  if (head.includes(":")) return head;
  return whole.includes("\n") ? `${head} = { … }` : whole;
}

export interface Declaration {
  readonly name: string;
  readonly keyword: Keyword;
  readonly isExported: boolean;
  readonly path: string;
  readonly line: number;
  readonly signature: string;
  /** The comment right above it, as Markdown; empty where there is none. */
  readonly said: string;
  /** The comment at the head of its file. */
  readonly opening: string;
}

const declared = /^(export\s+)?(?:abstract\s+)?(?:async\s+)?((function|const|class|interface|type)\*?\s+([\w$]+))/gm;

export function declarations(source: Source): readonly Declaration[] {
  const found = declaredOnes(source);
  return found.flatMap((each, at) =>
    each.name === found[at - 1]?.name ? [] : [withOverloads(each, found.slice(at + 1))],
  );
}

// Of a function with overloads the last declaration is for nobody outside; the second one's comment stands above it.
function withOverloads(first: Declaration, behind: readonly Declaration[]): Declaration {
  const end = behind.findIndex(({ name }) => name !== first.name);
  const same = end === -1 ? behind : behind.slice(0, end);
  const others = same
    .slice(0, -1)
    .map(({ signature: own, said }) => (said === "" ? own : `/** ${said.replaceAll("\n", " ")} */\n${own}`));
  return { ...first, signature: [first.signature, ...others].join("\n") };
}

function declaredOnes(source: Source): readonly Declaration[] {
  const { path, text, code } = source;
  return [...code.matchAll(declared)].map((match) => {
    const [all, exporting, head = "", keyword, name = ""] = match;
    const from = match.index + all.length - head.length;
    return {
      name,
      keyword: keyword as Keyword,
      isExported: exporting !== undefined,
      path,
      line: lineAt(text, match.index),
      signature: signature(source, { keyword: keyword as Keyword, from }),
      said: plain(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, match.index))?.[1] ?? ""),
      opening: plain(/^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? ""),
    };
  });
}

export function isType({ keyword }: Pick<Declaration, "keyword">): boolean {
  return keyword === "interface" || keyword === "type";
}

function plain(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}
