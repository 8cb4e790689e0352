/** Finds what a file imports, types included, and the names it exports. A specifier built at run time is not seen. */

import { posix } from "node:path";
import { lineAt, type Source } from "./source.ts";

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The path a relative specifier leads to; null for a package. */
  readonly target: string | null;
}

// In code a string stands directly after `from`, `import` or `import(` for no other reason.
const specifierPlace = /\b(?:from\s*|import\s*|import\(\s*)(["'`])( *)\1/g;

export function imports({ path, text, code }: Source): Import[] {
  return [...code.matchAll(specifierPlace)].map((match) => {
    const end = match.index + match[0].length - 1;
    const specifier = text.slice(end - (match[2] ?? "").length, end);
    return { specifier, line: lineAt(text, end), target: target(path, specifier) };
  });
}

function target(path: string, specifier: string): string | null {
  return /^\.{1,2}(?:\/|$)/.test(specifier) ? posix.join(posix.dirname(path), specifier) : null;
}

export interface GivenName {
  readonly name: string;
  readonly line: number;
  readonly callable: boolean;
}

const declaration =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|const|let|class|interface|type)\s+([\w$]+)/gm;
const list = /^export\s+(type\s+)?\{([^}]*)\}(\s*from\b)?/gm;
const bundle = /^export\s+\*\s+as\s+([\w$]+)/gm;
const holdsFunction = /^(?:\s*:[^=;]*=>|[^=;]*=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>))/;

/** A re-exported name is not listed, and neither is a destructured one. */
export function givenNames({ code }: Source): GivenName[] {
  return [...declared(code), ...listed(code), ...bundled(code)];
}

function declared(code: string): GivenName[] {
  return [...code.matchAll(declaration)].map((match) => {
    const [all, keyword = "", name = ""] = match;
    const rest = code.slice(match.index + all.length);
    const callable = keyword.startsWith("function") || (/^(?:const|let)$/.test(keyword) && holdsFunction.test(rest));
    return { name, line: lineAt(code, match.index), callable };
  });
}

function listed(code: string): GivenName[] {
  return [...code.matchAll(list)].flatMap((match) => {
    const [, onlyTypes, items = "", from] = match;
    const line = lineAt(code, match.index);
    return items.split(",").flatMap((item) => {
      const [, type, own = "", alias] = /^\s*(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(item) ?? [];
      const name = alias ?? (from ? "" : own);
      return name === "" ? [] : [{ name, line, callable: !type && !onlyTypes }];
    });
  });
}

function bundled(code: string): GivenName[] {
  return [...code.matchAll(bundle)].map(({ index, 1: name = "" }) => ({
    name,
    line: lineAt(code, index),
    callable: false,
  }));
}
