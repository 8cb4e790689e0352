/** Checks `packages/context`: imports run down its layers, it has no dependencies, and only `node/` and `search/` touch a machine. */

import type { Fault } from "../fault.ts";
import { imports } from "../source/modules.ts";
import { lineAt, type Source } from "../source/source.ts";
import { type House, isOurs } from "./house.ts";

const contextPackage = "packages/context";
const contextSources = `${contextPackage}/src/`;

/** From the bottom up. A name is a file, or a folder if a slash follows it. */
const layerNames: readonly (readonly string[])[] = [
  ["message", "runtime", "settings"],
  ["entry", "hooks", "model", "tokens/"],
  ["references", "tree", "usage"],
  ["format/"],
  ["session/", "shell/", "text/"],
  ["context/", "secrets/"],
  ["ledger/", "node/", "search/"],
  ["summary/"],
  ["compaction/"],
  ["branches/"],
  ["testing/"],
  ["index"],
];

export function layers({ sources }: House): readonly Fault[] {
  return sources
    .filter(({ path }) => path.startsWith(contextSources))
    .flatMap((source) => [...missingLayer(source), ...upwardImports(source)]);
}

function missingLayer({ path }: Source): Fault[] {
  if (layerOf(path) >= 0) return [];
  return [{ path, line: 1, sentence: `${partOf(path)} has no layer; add it to scripts/house/layers.ts` }];
}

function upwardImports(source: Source): Fault[] {
  const own = layerOf(source.path);
  if (own < 0) return [];
  return imports(source).flatMap(({ target, line }) => {
    if (target === null || layerOf(target) <= own) return [];
    const sentence = `${partOf(source.path)} imports ${partOf(target)}, a layer above it; move what both need down`;
    return [{ path: source.path, line, sentence }];
  });
}

function layerOf(path: string): number {
  return path.startsWith(contextSources) ? layerNames.findIndex((names) => names.includes(partOf(path))) : -1;
}

function partOf(path: string): string {
  const inside = path.slice(contextSources.length);
  const slash = inside.indexOf("/");
  return slash < 0 ? inside.replace(/\.ts$/, "") : inside.slice(0, slash + 1);
}

export function contextDependencies({ homes, sources }: House): readonly Fault[] {
  const dependencies = homes.find(({ folder }) => folder === contextPackage)?.dependencies ?? [];
  const files = sources.filter(({ path }) => path.startsWith(contextSources));
  return [
    ...dependencies.map((name) => ({
      path: `${contextPackage}/package.json`,
      line: 1,
      sentence: `depends on "${name}"; this package has no dependencies, so write what it needs or pass it in`,
    })),
    ...files.flatMap(foreignImports),
  ];
}

function foreignImports(source: Source): Fault[] {
  // Imports of our own packages are checked in doors.ts.
  const foreign = imports(source).filter(({ target, specifier }) => target === null && !isOurs(specifier));
  return foreign.flatMap(({ specifier, line }) => {
    const isNode = specifier.startsWith("node:");
    if (isNode && mayUseMachine(source.path)) return [];
    const advice = isNode
      ? "only src/node and src/search may; take a port instead"
      : "this package imports its own files only";
    return [{ path: source.path, line, sentence: `imports "${specifier}"; ${advice}` }];
  });
}

function mayUseMachine(path: string): boolean {
  return ["node/", "search/"].includes(partOf(path));
}

const effects: readonly RegExp[] = [
  /Date\.now\b|(?:new )?Date\(\s*\)|performance\.now\b/,
  /Math\.random\b|crypto\??\./,
  /process\??\.|Buffer\b|console\??\./,
  /setTimeout\b|setInterval\b/,
];
// Not after a dot, so that a field of the same name passes; but `globalThis.` hides nothing.
const free = /(?:(?<![.\w$])|(?<=\bglobalThis\.))/;
const impure = new RegExp(`${free.source}(?:${effects.map(({ source }) => source).join("|")})`, "g");

/** Clock, randomness, process and console. */
export function purity({ sources }: House): readonly Fault[] {
  return sources
    .filter(({ path }) => path.startsWith(contextSources) && !mayUseMachine(path))
    .flatMap(({ path, code }) =>
      [...code.matchAll(impure)].map((match) => ({
        path,
        line: lineAt(code, match.index),
        sentence: `\`${match[0]}\` is not pure; take it as a port (runtime.ts), or move this into src/node`,
      })),
    );
}
