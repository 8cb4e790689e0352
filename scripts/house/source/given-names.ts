/** The names a file gives to its exports. A name passed on unchanged was given elsewhere; destructuring is not seen. */

import { lineAt, type Source } from "./source.ts";

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
