/** Checks imports between packages: in the allowed direction, and only through an entry point of `exports`. */

import { PROGRAM_NAME, SCOPE } from "../build/packages.ts";
import type { Fault } from "../fault.ts";
import { type Import, listImports } from "../source/modules.ts";
import type { Source } from "../source/source.ts";
import { findDoor, includesSpecifier, isOurs, type PackageFolder, type Workspace } from "./workspace.ts";

/** The packages that each folder may import. Their entry points are read from package.json. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/context": [],
  "packages/models": ["@pith/context"],
  "packages/agent": ["@pith/context"],
  "packages/client": ["@pith/context", "@pith/agent"],
  "packages/cli": ["@pith/context", "@pith/models", "@pith/agent", "@pith/client"],
  "packages/testkit": [],
  bench: [SCOPE, PROGRAM_NAME],
  evals: [SCOPE, PROGRAM_NAME],
  scripts: [SCOPE, PROGRAM_NAME],
  examples: [SCOPE, PROGRAM_NAME],
};

/** Test doubles that are not published. These folders import them by path; tests of packages may too. */
const testDoubles = "packages/context/test/support/";
const mayImportTestDoubles: readonly string[] = ["bench", "evals", "scripts"];

export function checkDoors(workspace: Workspace): readonly Fault[] {
  return [
    ...workspace.packages.flatMap(checkIsListed),
    ...workspace.sources.flatMap((source) => checkImports(workspace, source)),
  ];
}

function checkIsListed({ folder }: PackageFolder): Fault[] {
  if (mayImport[folder] !== undefined) return [];
  return [{ path: folder, line: 1, sentence: "is a new package; list in scripts/house/doors.ts what it may import" }];
}

function checkImports(workspace: Workspace, source: Source): Fault[] {
  const own = workspace.packages.find(({ folder }) => source.path.startsWith(`${folder}/`));
  if (own === undefined) return [];
  return listImports(source).flatMap((imported) => {
    const sentence = findFault(workspace, own, imported);
    return sentence === null ? [] : [{ path: source.path, line: imported.line, sentence }];
  });
}

function findFault(workspace: Workspace, own: PackageFolder, { specifier, target }: Import): string | null {
  if (target !== null)
    return isAllowedPath(own, target) ? null : `"${specifier}" leads out of ${own.folder}; ${byName}`;
  if (!isOurs(specifier)) return null;
  if (own.name !== null && includesSpecifier(own.name, specifier))
    return `"${specifier}" is this package; use a relative path`;
  if (!(mayImport[own.folder] ?? []).some((name) => includesSpecifier(name, specifier)))
    return `${own.folder} may not import "${specifier}"; ${otherDirection}`;
  if (findDoor(workspace, specifier) !== undefined) return null;
  return `"${specifier}" is not an entry point; add it to that package's exports, or use another`;
}

const byName = "import the other package by its name, through an entry point";
const otherDirection = "pass it in, or move the code (scripts/house/doors.ts lists the allowed imports)";

function isAllowedPath({ folder }: PackageFolder, target: string): boolean {
  if (target.startsWith(`${folder}/`)) return true;
  return target.startsWith(testDoubles) && mayImportTestDoubles.includes(folder);
}
