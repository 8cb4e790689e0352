/** Checks imports between packages: only what the table allows, and only through an entry of `exports`. */

import { PROGRAM_NAME, SCOPE } from "../build/packages.ts";
import type { Fault } from "../fault.ts";
import { type Import, imports } from "../source/modules.ts";
import type { Source } from "../source/source.ts";
import { type Home, type House, homeOf, isOurs, opens } from "./house.ts";

/** A name opens the package and all its doors; a name with a path opens that door alone. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/context": [],
  "packages/models": ["@pith/context"],
  "packages/agent": ["@pith/context"],
  "packages/client": ["@pith/context", "@pith/agent"],
  "packages/cli": ["@pith/context", "@pith/models", "@pith/agent", "@pith/client", "@pith/viewer"],
  "packages/viewer": ["@pith/context"],
  "packages/ai-sdk": ["@pith/context", "@pith/models/convert", "@pith/models/overflow"],
  "packages/server": ["@pith/context", "@pith/models", "@pith/agent"],
  "packages/testkit": [],
  bench: [SCOPE, PROGRAM_NAME],
  evals: [SCOPE, PROGRAM_NAME],
  scripts: [SCOPE, PROGRAM_NAME],
  examples: [SCOPE, PROGRAM_NAME],
};

export function doors(house: House): readonly Fault[] {
  return [...house.homes.flatMap(unlisted), ...house.sources.flatMap((source) => wrongImports(house, source))];
}

function unlisted({ folder }: Home): Fault[] {
  if (mayImport[folder] !== undefined) return [];
  return [{ path: folder, line: 1, sentence: "is a new package; say in scripts/house/doors.ts what it may import" }];
}

function wrongImports(house: House, source: Source): Fault[] {
  const home = homeOf(house, source.path);
  if (home === undefined) return [];
  return imports(source).flatMap((imported) => {
    const sentence = objection(house, home, imported);
    return sentence === null ? [] : [{ path: source.path, line: imported.line, sentence }];
  });
}

function objection(house: House, home: Home, { specifier, target }: Import): string | null {
  if (target !== null) return leadsOut(home, target) ? `"${specifier}" leads out of ${home.folder}; ${goByName}` : null;
  if (!isOurs(specifier)) return null;
  if (home.name !== null && opens(home.name, specifier)) return `"${specifier}" is at home here; use a relative path`;
  if (!isOpenTo(home, specifier)) return `${home.folder} may not import "${specifier}"; ${askFirst}`;
  return isDoor(house, specifier)
    ? null
    : `"${specifier}" is no door; name it in that package's exports, or use another`;
}

const goByName = "import the other package by its name, through a door";
const askFirst = "have it handed in, or move the code (the table is in scripts/house/doors.ts)";

function leadsOut({ folder }: Home, target: string): boolean {
  return !target.startsWith(`${folder}/`);
}

function isOpenTo({ folder }: Home, specifier: string): boolean {
  return (mayImport[folder] ?? []).some((name) => opens(name, specifier));
}

function isDoor(house: House, specifier: string): boolean {
  return house.homes.some(({ name, doors }) => doors.some((door) => name + door.slice(1) === specifier));
}
