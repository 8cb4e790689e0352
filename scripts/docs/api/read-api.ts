/** Reads the public API of `@pith/context` from its sources: every export with its types, and the example that shows it. */

import { posix } from "node:path";
import { parseSource, readFolder, type Source } from "../../source/source.ts";
import { type Region, regions } from "../shown-code.ts";
import { type Declaration, declarations, isType } from "./declarations.ts";

export interface TakenName {
  /** The file it comes from. */
  readonly from: string;
  /** What it is called there; `*` for all types of that file. */
  readonly own: string;
  readonly name: string;
  readonly onlyType: boolean;
}

/** The names that a file imports for itself. */
function imported(source: Source): readonly TakenName[] {
  return parseSource(source).module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.flatMap(({ importName, localName, isType }) => {
      if (importName.name === null) return [];
      const from = fileOf(source, moduleRequest.value);
      return [{ from, own: importName.name, name: localName.value, onlyType: isType }];
    }),
  );
}

/** The names that a file re-exports. */
function reexported(source: Source): readonly TakenName[] {
  const exports = parseSource(source).module.staticExports.flatMap(({ entries }) => entries);
  return exports.flatMap(({ moduleRequest, importName, exportName, isType }) => {
    if (!moduleRequest || (importName.name === null && exportName.name !== null)) return [];
    const own = importName.name ?? "*";
    return [{ from: fileOf(source, moduleRequest.value), own, name: exportName.name ?? own, onlyType: isType }];
  });
}

function fileOf({ path }: Source, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

export interface Surroundings {
  readonly sources: ReadonlyMap<string, Source>;
  /** Names that are shown anyway. */
  readonly shown: ReadonlySet<string>;
}

export function beneath(declaration: Declaration, around: Surroundings): readonly Declaration[] {
  const hidden = restsOn(declaration).filter((name) => !around.shown.has(name));
  return hidden.flatMap((name) => {
    const found = declaredFor(name, declaration.path, around.sources);
    return found && isType(found) ? [found, ...beneath(found, around)] : [];
  });
}

// A function or a class rests on all that it takes and gives, a type on what it stands for or extends.
function restsOn(declaration: Declaration): readonly string[] {
  const { signature } = declaration;
  if (!isType(declaration)) return [...new Set(signature.match(/\b[A-Z][\w$]*/g))];
  const [, alias] = /^type [\w$]+ = ([\w$]+)$/.exec(signature) ?? [];
  const [, parents = ""] = /^interface [\w$]+(?:<[^>]+>)? extends ([^{<]+) \{/.exec(signature) ?? [];
  return [...(alias ? [alias] : []), ...parents.split(",").map((name) => name.trim())].filter((name) => name !== "");
}

function declaredFor(name: string, path: string, sources: Surroundings["sources"]): Declaration | undefined {
  const source = sources.get(path);
  if (!source) return undefined;
  const own = declarations(source).find((each) => each.name === name);
  const elsewhere = imported(source).find((each) => each.name === name);
  return own ?? (elsewhere && declaredFor(elsewhere.own, elsewhere.from, sources));
}

export interface Api {
  readonly exports: readonly Exported[];
  /** Names that the door lists and no file declares. */
  readonly lost: readonly string[];
  readonly themes: readonly Theme[];
}

export interface Exported extends Declaration {
  readonly kind: "value" | "type";
  /** What it rests on, and the door does not let out. */
  readonly beneath: readonly Declaration[];
  /** Its own file, and those with a function of its name that it passes calls on to. */
  readonly homes: readonly string[];
}

/** One program of examples. */
export interface Theme {
  readonly name: string;
  readonly path: string;
  readonly regions: readonly Region[];
}

export const SOURCES = "packages/context/src";
export const DOOR = `${SOURCES}/index.ts`;
export const EXAMPLES = "examples/api";

export function readApi(root: string): Api {
  const sources = new Map(readFolder(root, SOURCES).map((source) => [source.path, source]));
  const found = letOut(DOOR, sources);
  const shown = new Set(found.map((each) => each.name));
  return {
    exports: found.flatMap((each) =>
      "signature" in each ? { ...each, beneath: beneath(each, { sources, shown }), homes: homesOf(each, sources) } : [],
    ),
    lost: found.flatMap((each) => ("signature" in each ? [] : each.name)),
    themes: readFolder(root, EXAMPLES).map(({ path, text }) => ({
      name: posix.basename(path, ".ts"),
      path,
      regions: regions(text),
    })),
  };
}

function homesOf({ name, path, keyword }: Declaration, sources: Sources): readonly string[] {
  const source = sources.get(path);
  const engines = keyword === "function" && source ? imported(source).filter(({ own }) => own === name) : [];
  return [path, ...engines.map(({ from }) => from)];
}

type Sources = ReadonlyMap<string, Source>;
type Found = (Declaration & Pick<Exported, "kind">) | { readonly name: string };

/** All that a file passes on; of what cannot be found, the name. */
function letOut(path: string, sources: Sources): readonly Found[] {
  const source = sources.get(path);
  return (source ? reexported(source) : []).flatMap(({ from, own, name, onlyType }): readonly Found[] => {
    const there = [...declaredIn(from, sources), ...letOut(from, sources)];
    if (own === "*") return there.filter((each) => "kind" in each && each.kind === "type");
    const found = there.find((each) => each.name === own);
    return found && "kind" in found ? [{ ...found, name, kind: onlyType ? "type" : found.kind }] : [{ name }];
  });
}

function declaredIn(path: string, sources: Sources): readonly Found[] {
  const source = sources.get(path);
  const declared = source ? declarations(source).filter(({ isExported }) => isExported) : [];
  return declared.map((each) => ({ ...each, kind: isType(each) ? "type" : "value" }));
}
