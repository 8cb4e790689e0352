/** Reads the public API of `@pith/context` from its sources: the exports of every entry point, and the example programs. */

import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSource, readFolder, type Source } from "../../source/source.ts";
import { type Declaration, declarations, isType } from "./declarations.ts";

export interface Api {
  readonly doors: readonly Door[];
  /** The paths of the programs in `examples/api`. */
  readonly examples: readonly string[];
}

/** One entry point of the package. */
export interface Door {
  /** What a program imports, e.g. `@pith/context/node`. */
  readonly specifier: string;
  readonly path: string;
  /** The comment at the head of its file. */
  readonly opening: string;
  readonly exports: readonly Exported[];
  /** Names that the entry point lists and no file declares. */
  readonly missing: readonly string[];
}

export interface Exported extends Declaration {
  readonly kind: "value" | "type";
}

const PACKAGE = "packages/context";
export const SOURCES = `${PACKAGE}/src`;
export const EXAMPLES = "examples/api";

export function readApi(root: string): Api {
  const sources = new Map(readFolder(root, SOURCES).map((source) => [source.path, source]));
  return {
    doors: entryPoints(root).map(({ specifier, path }) => readDoor(specifier, path, sources)),
    examples: readFolder(root, EXAMPLES).map(({ path }) => path),
  };
}

function entryPoints(root: string): readonly { readonly specifier: string; readonly path: string }[] {
  const manifest = join(root, PACKAGE, "package.json");
  if (!existsSync(manifest)) return [];
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries<string>(Object(exports))
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([door, file]) => ({ specifier: name + door.slice(1), path: posix.join(PACKAGE, file) }));
}

type Sources = ReadonlyMap<string, Source>;

function readDoor(specifier: string, path: string, sources: Sources): Door {
  const found = findExports(path, sources);
  return {
    specifier,
    path,
    opening: /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(sources.get(path)?.text ?? "")?.[1]?.trim() ?? "",
    exports: found.flatMap((each) => ("kind" in each ? each : [])),
    missing: found.flatMap((each) => ("kind" in each ? [] : each.name)),
  };
}

/** All that a file re-exports; only the name of what no file declares. */
function findExports(path: string, sources: Sources): readonly (Exported | { readonly name: string })[] {
  const source = sources.get(path);
  return (source ? listReexports(source) : []).flatMap(({ from, own, name, onlyType }) => {
    const there = [...listDeclared(from, sources), ...findExports(from, sources)];
    if (own === "*") return there.filter((each) => "kind" in each && each.kind === "type");
    const found = there.find((each) => each.name === own);
    return found && "kind" in found ? [{ ...found, name, kind: onlyType ? "type" : found.kind }] : [{ name }];
  });
}

interface Reexport {
  /** The file it comes from. */
  readonly from: string;
  /** Its name there; `*` for all types of that file. */
  readonly own: string;
  readonly name: string;
  readonly onlyType: boolean;
}

function listReexports(source: Source): readonly Reexport[] {
  const exports = parseSource(source).module.staticExports.flatMap(({ entries }) => entries);
  return exports.flatMap(({ moduleRequest, importName, exportName, isType }) => {
    if (!moduleRequest || (importName.name === null && exportName.name !== null)) return [];
    const own = importName.name ?? "*";
    const from = posix.join(posix.dirname(source.path), moduleRequest.value);
    return [{ from, own, name: exportName.name ?? own, onlyType: isType }];
  });
}

function listDeclared(path: string, sources: Sources): readonly Exported[] {
  const source = sources.get(path);
  const declared = source ? declarations(source).filter(({ isExported }) => isExported) : [];
  return declared.map((each) => ({ ...each, kind: isType(each) ? "type" : "value" }));
}
