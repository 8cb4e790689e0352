/** What a file imports, types included. A specifier put together at run time cannot be seen. */

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
