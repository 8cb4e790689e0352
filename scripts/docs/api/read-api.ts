/** Reads the public API of `@pith/context` from its sources: every export with its types, and the example that shows it. */

import { posix } from "node:path";
import { readFolder, type Source } from "../../source/source.ts";
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

/** For itself. */
export function imported(source: Source): readonly TakenName[] {
  return taken(source, /^import\s+(type\s+)?(\{[^}]*\})\s+from\s+"( *)";/gm);
}

/** For others. */
export function passedOn(source: Source): readonly TakenName[] {
  return taken(source, /^export\s+(type\s+)?(\{[^}]*\}|\*)\s+from\s+"( *)";/gm);
}

function taken({ path, text, code }: Source, statement: RegExp): readonly TakenName[] {
  return [...code.matchAll(statement)].flatMap((match) => {
    const [all, onlyType, list = "", specifier = ""] = match;
    const end = match.index + all.length - 2;
    const from = posix.join(posix.dirname(path), text.slice(end - specifier.length, end));
    return list
      .replace(/[{}]/g, "")
      .split(",")
      .flatMap((item) => listed(item, { from, onlyType: onlyType !== undefined }));
  });
}

function listed(item: string, { from, onlyType }: Pick<TakenName, "from" | "onlyType">): readonly TakenName[] {
  const [, type, own, alias] = /^\s*(type\s+)?([\w$]+|\*)(?:\s+as\s+([\w$]+))?\s*$/.exec(item) ?? [];
  return own === undefined ? [] : [{ from, own, name: alias ?? own, onlyType: onlyType || type !== undefined }];
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
  return (source ? passedOn(source) : []).flatMap(({ from, own, name, onlyType }): readonly Found[] => {
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
