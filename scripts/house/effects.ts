/** Finds code that reads the clock, randomness or the process, where it must be passed in. */

import { type ESTree, Visitor } from "rolldown/utils";
import type { Fault } from "../fault.ts";
import { lineAt, parseSource, type Source } from "../source/source.ts";
import { CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

/** Whether a file of `packages/context` may import Node's modules. */
export function mayUseNode({ path }: Source): boolean {
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

const HOST_SOURCES = "packages/host/src/";

/** One process hosts agents of several users, so the home, the environment and the folder of an agent are passed in. */
export function checkProcessReads({ sources }: Workspace): readonly Fault[] {
  return sources
    .filter(({ path }) => path.startsWith(HOST_SOURCES))
    .flatMap((source) =>
      findProcessReads(source).map(({ start, end }) => ({
        path: source.path,
        line: lineAt(source.text, start),
        sentence: `\`${source.text.slice(start, end)}\` belongs to the process; take it from HostContext`,
      })),
    );
}

const PROCESS_READS: ReadonlySet<string> = new Set(["env", "cwd", "chdir", "argv"]);
const HOME_READS: ReadonlySet<string> = new Set(["homedir", "userInfo"]);

/** Also finds `const { env } = process`, and `os.homedir` whatever the module is called. */
function findProcessReads(source: Source): readonly ESTree.Span[] {
  const reads: ESTree.Span[] = [];
  const visitor = new Visitor({
    MemberExpression: (node) => {
      if (globalName(node.object) !== "process") return;
      const { property } = node;
      if (node.computed || (property.type === "Identifier" && PROCESS_READS.has(property.name))) reads.push(node);
    },
    VariableDeclarator: (node) => {
      if (node.init?.type === "Identifier" && node.init.name === "process") reads.push(node);
    },
    ImportDeclaration: (node) => {
      if (node.source.value === "node:process") reads.push(node);
    },
    Identifier: (node) => {
      // `import { homedir }` has its name twice, at the same place.
      if (HOME_READS.has(node.name) && reads.at(-1)?.start !== node.start) reads.push(node);
    },
  });
  visitor.visit(parseSource(source).program);
  return reads;
}
