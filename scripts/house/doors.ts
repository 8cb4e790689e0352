/** Checks imports between packages: in the allowed direction, and only through an entry point of `exports`. */

import { PROGRAM_NAME, SCOPE } from "../build/packages.ts";
import type { Fault } from "../fault.ts";
import { type Import, listImports } from "../source/modules.ts";
import type { Source } from "../source/source.ts";
import { findEntryPoint, includesSpecifier, isOwnPackage, type PackageFolder, type Workspace } from "./workspace.ts";

/** The packages that each folder may import. Their entry points are read from package.json. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
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
const TEST_DOUBLES = "packages/context/test/support/";
const TEST_DOUBLE_USERS: readonly string[] = ["bench", "evals", "scripts"];

export function checkPackageImports(workspace: Workspace): readonly Fault[] {
  return [
    ...workspace.packages.flatMap(checkIsListed),
    ...workspace.sources.flatMap((source) => checkImports(workspace, source)),
  ];
}

function checkIsListed({ folder }: PackageFolder): Fault[] {
  if (ALLOWED_IMPORTS[folder] !== undefined) return [];
  return [{ path: folder, line: 1, sentence: "is a new package; list in scripts/house/doors.ts what it may import" }];
}

function checkImports(workspace: Workspace, source: Source): Fault[] {
  const ownPackage = workspace.packages.find(({ folder }) => source.path.startsWith(`${folder}/`));
  if (ownPackage === undefined) return [];
  return listImports(source).flatMap((imported) => {
    const sentence = findImportFault(workspace, ownPackage, imported);
    return sentence === null ? [] : [{ path: source.path, line: imported.line, sentence }];
  });
}

function findImportFault(
  workspace: Workspace,
  ownPackage: PackageFolder,
  { specifier, target }: Import,
): string | null {
  if (target !== null)
    return isAllowedTarget(ownPackage, target)
      ? null
      : `"${specifier}" leads out of ${ownPackage.folder}; ${USE_NAME_ADVICE}`;
  if (!isOwnPackage(specifier)) return null;
  if (ownPackage.name !== null && includesSpecifier(ownPackage.name, specifier))
    return `"${specifier}" is this package; use a relative path`;
  if (!(ALLOWED_IMPORTS[ownPackage.folder] ?? []).some((name) => includesSpecifier(name, specifier)))
    return `${ownPackage.folder} may not import "${specifier}"; ${DIRECTION_ADVICE}`;
  if (findEntryPoint(workspace, specifier) !== undefined) return null;
  return `"${specifier}" is not an entry point; add it to that package's exports, or use another`;
}

const USE_NAME_ADVICE = "import the other package by its name, through an entry point";
const DIRECTION_ADVICE = "pass it in, or move the code (scripts/house/doors.ts lists the allowed imports)";

function isAllowedTarget({ folder }: PackageFolder, target: string): boolean {
  if (target.startsWith(`${folder}/`)) return true;
  return target.startsWith(TEST_DOUBLES) && TEST_DOUBLE_USERS.includes(folder);
}
