/** The door `@pith/context` as it stands in the sources: what it lets out, and the examples that show it. */

import { posix } from "node:path";
import { readFolder } from "../../house/source/read-folder.ts";
import type { Source } from "../../house/source/source.ts";
import { type Region, regions } from "../regions.ts";
import { beneath } from "./beneath.ts";
import { type Declaration, declarations, isType } from "./declaration.ts";
import { passedOn } from "./names-taken.ts";

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
      "signature" in each ? { ...each, beneath: beneath(each, { sources, shown }) } : [],
    ),
    lost: found.flatMap((each) => ("signature" in each ? [] : each.name)),
    themes: readFolder(root, EXAMPLES).map(({ path, text }) => ({
      name: posix.basename(path, ".ts"),
      path,
      regions: regions(text),
    })),
  };
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
