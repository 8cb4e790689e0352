/** Counts the calls of `test` and `expect` in the tests of a checkout, by parser. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

export interface CallCounts {
  readonly test: number;
  readonly expect: number;
}

/** `it(` is counted as `test(`, and so are `test.each(…)(…)` and its like. */
export function countCalls(root: string): CallCounts {
  const files = globSync(["packages/*/{src,test}/**/*.ts", "{scripts,bench}/test/**/*.ts"], {
    cwd: root,
    exclude: (path) => `${path}`.includes("node_modules"),
  });
  const names = files.flatMap((path) =>
    listCalledNames(parseAst(readFileSync(join(root, path), "utf8"), { lang: "ts" })),
  );
  const count = (...wanted: string[]): number => names.filter((name) => wanted.includes(name)).length;
  return { test: count("test", "it"), expect: count("expect") };
}

/** The names that calls begin with: `expect` for `expect(a).not.toBe(b)`, once. */
function listCalledNames(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(listCalledNames);
  if (typeof node !== "object" || node === null) return [];
  const { type, callee } = node as { readonly type?: string; readonly callee?: Callee };
  const name = type === "CallExpression" ? calleeName(callee) : null;
  return [...(name === null ? [] : [name]), ...Object.values(node).flatMap(listCalledNames)];
}

interface Callee {
  readonly type: string;
  readonly name?: string;
  readonly object?: Callee;
}

/** `test.each(rows)("…")` is one call by its inner callee. */
function calleeName(callee: Callee | undefined): string | null {
  if (callee?.type === "Identifier") return callee.name ?? null;
  if (callee?.type === "MemberExpression" && callee.object?.type === "Identifier") {
    const { name } = callee.object;
    return name === "test" || name === "it" ? name : null;
  }
  return null;
}
