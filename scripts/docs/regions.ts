/** Parts of a program that documents show: what stands between `// #region NAME` and `// #endregion`. */

import { lineAt } from "../house/source/source.ts";

export interface Region {
  readonly name: string;
  readonly line: number;
  /** Without the indent that all of it has. */
  readonly code: string;
}

const region = /^[ \t]*\/\/ #region (\S+)\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;

export function regions(text: string): readonly Region[] {
  return [...text.matchAll(region)].map(({ index, 1: name = "", 2: code = "" }) => ({
    name,
    line: lineAt(text, index),
    code: unindented(code),
  }));
}

function unindented(code: string): string {
  const indents = code.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.search(/\S/)));
  const least = Math.min(...indents);
  return code
    .split("\n")
    .map((line) => line.slice(Math.min(least, line.length)))
    .join("\n");
}
