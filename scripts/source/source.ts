/** Reads and parses TypeScript files, and lists their imports, exports, functions and declared names. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type ESTree, type ParseResult, parseSync, Visitor } from "rolldown/utils";

export interface Source {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Parses a file once. A syntax error throws, because a check of half a file proves nothing. */
export const parseSource: (source: Source) => ParseResult = memoizePerSource(({ path, text }) => {
  const result = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  return result;
});

/** Wraps a function so that it runs once for each file. */
function memoizePerSource<Result>(compute: (source: Source) => Result): (source: Source) => Result {
  const results = new WeakMap<Source, { readonly result: Result }>();
  return (source) => {
    const cached = results.get(source) ?? { result: compute(source) };
    results.set(source, cached);
    return cached.result;
  };
}

/** The line, counted from 1, of a position in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

export function countLines({ text }: Source): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** Reads all TypeScript files below a folder. A missing folder has none. */
export function readFolder(root: string, folder: string): Source[] {
  return readFiles(root, listFiles(root, folder));
}

export function readFiles(root: string, paths: readonly string[]): Source[] {
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The folders directly inside a folder. */
export function listSubfolders(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const items = readdirSync(join(root, folder), { withFileTypes: true });
  return items.filter((item) => item.isDirectory() && !isIgnored(item.name)).map(({ name }) => `${folder}/${name}`);
}

function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const items = readdirSync(join(root, folder), { withFileTypes: true });
  const files = items.filter((item) => item.isFile() && item.name.endsWith(".ts"));
  const deeper = listSubfolders(root, folder).flatMap((below) => listFiles(root, below));
  return [...files.map(({ name }) => `${folder}/${name}`), ...deeper].toSorted();
}

function isIgnored(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}

/** One import, or one `export … from`. Types count. A specifier that is computed at run time is not seen. */
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

export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

/** Lists functions that have a body: declarations, methods, arrows and function expressions. */
export function listFunctions(source: Source): readonly MeasuredFunction[] {
  const { text } = source;
  const functions: MeasuredFunction[] = [];
  // The visitor enters a parent before its children, so a function's name is known before the function is reached.
  const names = new Map<number, string>();
  const addFunction = ({ start, end }: Span, params: readonly unknown[], ownName?: string) => {
    const line = lineAt(text, start);
    const name = ownName ?? names.get(start) ?? "a function";
    functions.push({ name, line, lines: lineAt(text, end) - line + 1, parameters: params.length });
  };
  const nameValue = (key: Span, value: Span | null) => {
    if (value !== null) names.set(value.start, text.slice(key.start, key.end).replace(/^#/, ""));
  };
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier") nameValue({ start: id.start, end: id.start + id.name.length }, init);
    },
    MethodDefinition: ({ key, value }) => nameValue(key, value),
    PropertyDefinition: ({ key, value }) => nameValue(key, value),
    Property: ({ key, value }) => nameValue(key, value),
    FunctionDeclaration: (node) => addFunction(node, node.params, node.id?.name),
    FunctionExpression: (node) => addFunction(node, node.params, node.id?.name),
    ArrowFunctionExpression: (node) => addFunction(node, node.params),
  });
  visitor.visit(parseSource(source).program);
  return functions;
}

export interface DeclaredName {
  readonly name: string;
  readonly line: number;
  readonly kind: "function" | "type" | "class" | "constant";
}

/**
 * Lists the names of functions, nested ones and methods included, of types and classes, and of constants at the top level. Overloads
 * count once. Getters and setters are properties and are left out.
 */
export const listDeclaredNames: (source: Source) => readonly DeclaredName[] = memoizePerSource((source) => {
  const { program } = parseSource(source);
  const names: DeclaredName[] = listTopLevelConstants(source, program);
  const add = (kind: DeclaredName["kind"], { start, end }: Span) => {
    const name = source.text.slice(start, end).replace(/^#/, "");
    const line = lineAt(source.text, start);
    if (/^[\w$]+$/.test(name) && !names.some((other) => other.name === name && other.line === line))
      names.push({ name, line, kind });
  };
  const visitor = new Visitor({
    FunctionDeclaration: ({ id }) => id && add("function", id),
    VariableDeclarator: ({ id, init }) => {
      const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
      if (isFunction && id.type === "Identifier") add("function", { start: id.start, end: id.start + id.name.length });
    },
    MethodDefinition: ({ kind, key }) => kind === "method" && add("function", key),
    PropertyDefinition: ({ key, value }) => value?.type === "ArrowFunctionExpression" && add("function", key),
    Property: ({ method, key }) => method && add("function", key),
    ClassDeclaration: ({ id }) => id && add("class", id),
    TSInterfaceDeclaration: ({ id }) => add("type", id),
    TSTypeAliasDeclaration: ({ id }) => add("type", id),
  });
  visitor.visit(program);
  return names.toSorted((a, b) => a.line - b.line);
});

function listTopLevelConstants({ text }: Source, program: ESTree.Program): DeclaredName[] {
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") return [];
    return declared.declarations.flatMap(({ id }) =>
      id.type === "Identifier" ? [{ name: id.name, line: lineAt(text, id.start), kind: "constant" as const }] : [],
    );
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}
