/** The names of tests as they stand in the text: the first argument of `test`, `it` or `describe`, if a string. */

import { closing } from "../house/source/brackets.ts";
import { lineAt, type Source } from "../house/source/source.ts";

export interface TestName {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

// `test(`, `test.only(`, and `test.each(table)(`, whose name comes after the table. What is skipped proves nothing.
const call = /(?<![.\w$])(?:test|it|describe)(?:\.(?!skip\b|todo\b)\w+)*(?=\()/g;

export function testNames({ path, text, code }: Source): TestName[] {
  return [...code.matchAll(call)].flatMap((match) => {
    const first = match.index + match[0].length;
    const table = closing(code, first);
    const open = code[table + 1] === "(" ? table + 1 : first;
    const name = stringAt(text, code, open + 1);
    return name === null ? [] : [{ path, line: lineAt(text, match.index), name }];
  });
}

/** A template is read up to its first slot. */
function stringAt(text: string, code: string, from: number): string | null {
  const [all = "", , inside = ""] = /^\s*(["'`])(\s*)/.exec(code.slice(from)) ?? [];
  return all === "" ? null : text.slice(from + all.length - inside.length, from + all.length);
}
