/** Checks that `packages/context` has no dependencies, and that only `node/` and `search/` use Node, a clock, randomness or the console. */

import { type ESTree, Visitor } from "rolldown/utils";
import type { Fault } from "../fault.ts";
import { listImports } from "../source/modules.ts";
import { lineAt, parseSource, type Source } from "../source/source.ts";
import { CONTEXT_PACKAGE, CONTEXT_SOURCES, isOwnPackage, type Workspace } from "./workspace.ts";

export function checkContextDependencies({ packages, sources }: Workspace): readonly Fault[] {
  const dependencies = packages.find(({ folder }) => folder === CONTEXT_PACKAGE)?.dependencies ?? [];
  const files = sources.filter(({ path }) => path.startsWith(CONTEXT_SOURCES));
  return [
    ...dependencies.map((name) => ({
      path: `${CONTEXT_PACKAGE}/package.json`,
      line: 1,
      sentence: `depends on "${name}"; this package has no dependencies, so write what it needs or pass it in`,
    })),
    ...files.flatMap(checkForeignImports),
  ];
}

function checkForeignImports(source: Source): Fault[] {
  // Imports of our own packages are checked in doors.ts.
  const foreign = listImports(source).filter(({ target, specifier }) => target === null && !isOwnPackage(specifier));
  return foreign.flatMap(({ specifier, line }) => {
    const isNode = specifier.startsWith("node:");
    if (isNode && mayUseNode(source)) return [];
    const advice = isNode
      ? "only src/node and src/search may; take a port instead"
      : "this package imports its own files only";
    return [{ path: source.path, line, sentence: `imports "${specifier}"; ${advice}` }];
  });
}

function mayUseNode({ path }: Source): boolean {
  return ["node/", "search/"].some((folder) => path.startsWith(CONTEXT_SOURCES + folder));
}

/** Checks for uses of the clock, randomness, timers, the process and the console. */
export function checkPurity({ sources }: Workspace): readonly Fault[] {
  return sources
    .filter((source) => source.path.startsWith(CONTEXT_SOURCES) && !mayUseNode(source))
    .flatMap((source) =>
      findEffects(source).map(({ start, end }) => ({
        path: source.path,
        line: lineAt(source.text, start),
        sentence: `\`${source.text.slice(start, end)}\` is not pure; take it as a port (runtime.ts), or move this into src/node`,
      })),
    );
}

const IMPURE_MEMBERS: ReadonlySet<string> = new Set(["Date.now", "performance.now", "Math.random"]);
const IMPURE_OBJECTS: ReadonlySet<string> = new Set(["crypto", "process", "console"]);
const IMPURE_NAMES: ReadonlySet<string> = new Set(["Buffer", "setTimeout", "setInterval"]);

/** A property with the name of a global, such as `clock.Date.now`, is not an effect; after `globalThis.` it is. */
function findEffects(source: Source): readonly ESTree.Span[] {
  const effects: ESTree.Span[] = [];
  const properties = new Set<ESTree.Node>();
  const checkDate = (node: ESTree.CallExpression | ESTree.NewExpression) => {
    if (globalName(node.callee) === "Date" && node.arguments.length === 0) effects.push(node);
  };
  const visitor = new Visitor({
    // The visitor enters a member expression before the identifiers in it.
    MemberExpression: (node) => {
      if (globalName(node) === null) properties.add(node.property);
      const object = globalName(node.object);
      if (object === null || node.property.type !== "Identifier") return;
      if (IMPURE_OBJECTS.has(object) || IMPURE_MEMBERS.has(`${object}.${node.property.name}`)) effects.push(node);
    },
    Identifier: (node) => {
      if (IMPURE_NAMES.has(node.name) && !properties.has(node)) effects.push(node);
    },
    CallExpression: checkDate,
    NewExpression: checkDate,
  });
  visitor.visit(parseSource(source).program);
  return effects;
}

/** `Date` for `Date` and for `globalThis.Date`; null for anything else. */
function globalName(node: ESTree.Expression | ESTree.Super): string | null {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") return null;
  return node.object.type === "Identifier" && node.object.name === "globalThis" ? node.property.name : null;
}
