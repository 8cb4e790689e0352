/** Reads the public API of `@pith/context` from its sources: the exports of every entry point, and the example programs. */

import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSource, readFolder, type Source } from "../../source/source.ts";
import { type Declaration, isType, listDeclarations } from "./declarations.ts";

export interface Api {
  readonly entryPoints: readonly EntryPoint[];
  /** The paths of the programs in `examples/api`. */
  readonly examples: readonly string[];
}

/** One entry point of the package. */
export interface EntryPoint {
  /** What a program imports, e.g. `@pith/context/node`. */
  readonly specifier: string;
  readonly path: string;
  /** The comment at the head of its file. */
  readonly fileComment: string;
  readonly exports: readonly ApiExport[];
  /** Names that the entry point lists and no file declares. */
  readonly missing: readonly string[];
}

export interface ApiExport extends Declaration {
  readonly kind: "value" | "type";
}

const PACKAGE = "packages/context";
export const SOURCES = `${PACKAGE}/src`;
export const EXAMPLES = "examples/api";

export function readApi(root: string): Api {
  const sources = new Map(readFolder(root, SOURCES).map((source) => [source.path, source]));
  return {
    entryPoints: listEntryPoints(root).map(({ specifier, path }) => readEntryPoint(specifier, path, sources)),
    examples: readFolder(root, EXAMPLES).map(({ path }) => path),
  };
}

function listEntryPoints(root: string): readonly { readonly specifier: string; readonly path: string }[] {
  const manifest = join(root, PACKAGE, "package.json");
  if (!existsSync(manifest)) return [];
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries<string>(Object(exports))
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([exportPath, file]) => ({ specifier: name + exportPath.slice(1), path: posix.join(PACKAGE, file) }));
}

type Sources = ReadonlyMap<string, Source>;

function readEntryPoint(specifier: string, path: string, sources: Sources): EntryPoint {
  const exported = findExports(path, sources);
  return {
    specifier,
    path,
    fileComment: /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(sources.get(path)?.text ?? "")?.[1]?.trim() ?? "",
    exports: exported.flatMap((each) => ("kind" in each ? each : [])),
    missing: exported.flatMap((each) => ("kind" in each ? [] : each.name)),
  };
}

/** All that a file re-exports; only the name of what no file declares. */
function findExports(path: string, sources: Sources): readonly (ApiExport | { readonly name: string })[] {
  const source = sources.get(path);
  return (source ? listReexports(source) : []).flatMap(({ sourcePath, originalName, name, isTypeOnly }) => {
    const candidates = [...listDeclared(sourcePath, sources), ...findExports(sourcePath, sources)];
    if (originalName === "*") return candidates.filter((each) => "kind" in each && each.kind === "type");
    const match = candidates.find((each) => each.name === originalName);
    return match && "kind" in match ? [{ ...match, name, kind: isTypeOnly ? "type" : match.kind }] : [{ name }];
  });
}

interface Reexport {
  /** The file it comes from. */
  readonly sourcePath: string;
  /** Its name there; `*` for all types of that file. */
  readonly originalName: string;
  readonly name: string;
  readonly isTypeOnly: boolean;
}

function listReexports(source: Source): readonly Reexport[] {
  const exports = parseSource(source).module.staticExports.flatMap(({ entries }) => entries);
  return exports.flatMap(({ moduleRequest, importName, exportName, isType }) => {
    if (!moduleRequest || (importName.name === null && exportName.name !== null)) return [];
    const originalName = importName.name ?? "*";
    const sourcePath = posix.join(posix.dirname(source.path), moduleRequest.value);
    return [{ sourcePath, originalName, name: exportName.name ?? originalName, isTypeOnly: isType }];
  });
}

function listDeclared(path: string, sources: Sources): readonly ApiExport[] {
  const source = sources.get(path);
  const declared = source ? listDeclarations(source).filter(({ isExported }) => isExported) : [];
  return declared.map((each) => ({ ...each, kind: isType(each) ? "type" : "value" }));
}
