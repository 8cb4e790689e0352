/** Lists what a file imports and exports, types included. A specifier that is computed at run time is not seen. */

import { posix } from "node:path";
import { type ParseResult, Visitor } from "rolldown/utils";
import { lineAt, memoizePerSource, parseSource, type Source } from "./source.ts";

/** One import, or one `export … from`. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The file a relative specifier names; null for a package. */
  readonly target: string | null;
  readonly names: readonly ImportedName[];
}

export interface ImportedName {
  /** The name in the imported file; `*` for the whole module. */
  readonly name: string;
  readonly isType: boolean;
}

export const listImports: (source: Source) => readonly Import[] = memoizePerSource((source) =>
  [
    ...listStaticImports(source),
    ...listReexports(source),
    ...listDynamicImports(source),
    ...listTypeImports(source),
  ].toSorted((a, b) => a.line - b.line),
);

const WHOLE_MODULE: ImportedName = { name: "*", isType: false };

function listStaticImports(source: Source): Import[] {
  return parseSource(source).module.staticImports.map(({ moduleRequest, entries }) => {
    const names = entries.map(({ importName, isType }) => ({ name: importName.name ?? "*", isType }));
    // An import without names runs the file.
    return toImport(source, { ...moduleRequest, names: names.length === 0 ? [WHOLE_MODULE] : names });
  });
}

function listReexports(source: Source): Import[] {
  return parseSource(source).module.staticExports.flatMap(({ entries }) => {
    const [first] = entries;
    if (!first?.moduleRequest) return [];
    const names = entries.map(({ importName, isType }) => ({ name: importName.name ?? "*", isType }));
    return [toImport(source, { ...first.moduleRequest, names })];
  });
}

function listDynamicImports(source: Source): Import[] {
  return parseSource(source).module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(["'`])([^"'`$]*)\1$/.exec(source.text.slice(start, end));
    return literal === null ? [] : [toImport(source, { value: literal[2] ?? "", end, names: [WHOLE_MODULE] })];
  });
}

/** Types such as `import("./a.ts").A`; the parser's list of imports leaves them out. */
function listTypeImports(source: Source): Import[] {
  if (!source.text.includes("import(")) return [];
  const imports: Import[] = [];
  const visitor = new Visitor({
    TSImportType({ source: { value, end } }) {
      imports.push(toImport(source, { value, end, names: [{ name: "*", isType: true }] }));
    },
  });
  visitor.visit(parseSource(source).program);
  return imports;
}

interface ImportRequest {
  readonly value: string;
  readonly end: number;
  readonly names: readonly ImportedName[];
}

function toImport({ path, text }: Source, { value, end, names }: ImportRequest): Import {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(value);
  const target = isRelative ? posix.join(posix.dirname(path), value) : null;
  return { specifier: value, line: lineAt(text, end), target, names };
}

/** One exported name. */
export interface Export {
  /** `*` for all names of another file. */
  readonly name: string;
  readonly isType: boolean;
  /** Where a re-exported name comes from; null for a name of this file. */
  readonly origin: { readonly specifier: string; readonly target: string | null; readonly name: string } | null;
}

type StaticExport = ParseResult["module"]["staticExports"][number]["entries"][number];

export function listExports(source: Source): readonly Export[] {
  return parseSource(source).module.staticExports.flatMap(({ entries }) =>
    entries.map((entry) => toExport(source, entry)),
  );
}

function toExport(source: Source, { exportName, importName, moduleRequest, isType }: StaticExport): Export {
  const name = exportName.name ?? (exportName.kind === "Default" ? "default" : "*");
  if (!moduleRequest) return { name, isType, origin: null };
  const { specifier, target } = toImport(source, { ...moduleRequest, names: [] });
  return { name, isType, origin: { specifier, target, name: importName.name ?? "*" } };
}
