/** Finds exported values that no other file uses. An exported type may be part of an exported signature, so types are not checked. */

import type { Fault } from "../fault.ts";
import { listDeclaredNames, listExports, listImports, type Source } from "../source/source.ts";
import { findEntryPoint, type Workspace } from "./workspace.ts";

export interface UnusedExport {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  /** Whether a test uses it. */
  readonly isTested: boolean;
}

export function checkUnusedExports(workspace: Workspace): readonly Fault[] {
  return listUnusedExports(workspace)
    .filter(({ isTested }) => !isTested)
    .map(({ path, line, name }) => ({ path, line, sentence: `no other file uses ${name}; remove its \`export\`` }));
}

/** The exports that only their own file uses, or only tests. */
export function listUnusedExports(workspace: Workspace): readonly UnusedExport[] {
  const sources = workspace.sources.filter((source) => !isScriptTest(source));
  const sourceUses = collectUses(workspace, sources);
  const testUses = collectUses(workspace, [...workspace.tests, ...workspace.sources.filter(isScriptTest)]);
  const entryPoints = new Set(workspace.packages.flatMap((each) => [...each.entryPoints.values()]));
  return sources.flatMap((source) => {
    const { path } = source;
    if (entryPoints.has(path) || path.startsWith("examples/")) return [];
    return listExportedValues(source).flatMap(({ name, line }) => {
      if (sourceUses.includes(path, name)) return [];
      return [{ path, line, name, isTested: testUses.includes(path, name) }];
    });
  });
}

function isScriptTest({ path }: Source): boolean {
  return path.startsWith("scripts/test/");
}

function listExportedValues(source: Source): readonly { readonly name: string; readonly line: number }[] {
  const exported = new Set(listExports(source).flatMap(({ name, origin }) => (origin === null ? [name] : [])));
  return listDeclaredNames(source).filter(({ name, kind }) => kind !== "type" && exported.delete(name));
}

interface Uses {
  includes(path: string, name: string): boolean;
}

/** A file that imports all of another one, such as with `await import(…)`, uses the names that its own text contains. */
function collectUses(workspace: Workspace, users: readonly Source[]): Uses {
  const names = new Set<string>();
  const importers = new Map<string, Source[]>();
  const reexported = new Set(
    users.flatMap(listExports).flatMap(({ origin }) => (origin?.name === "*" ? [origin.target] : [])),
  );
  for (const user of users)
    for (const { specifier, target, names: importedNames } of listImports(user)) {
      const path = target ?? findEntryPoint(workspace, specifier);
      if (path === undefined) continue;
      for (const { name } of importedNames) {
        if (name !== "*") names.add(`${path} ${name}`);
        else importers.set(path, [...(importers.get(path) ?? []), user]);
      }
    }
  return {
    includes: (path, name) =>
      names.has(`${path} ${name}`) ||
      reexported.has(path) ||
      (importers.get(path) ?? []).some(({ text }) =>
        new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(text),
      ),
  };
}
