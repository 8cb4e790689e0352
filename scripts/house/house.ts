/** The house as the checks see it: its files, and the packages with their doors. */

import type { Fault } from "../fault.ts";
import type { Source } from "./source/source.ts";

export interface House {
  readonly sources: readonly Source[];
  /** Tests inside packages: only their opening sentences and names are looked at. */
  readonly tests: readonly Source[];
  readonly homes: readonly Home[];
}

/** A folder that imports stay inside of: a package, or a folder of programs such as `scripts`. */
export interface Home {
  readonly folder: string;
  /** The npm name; null where there is no package.json. */
  readonly name: string | null;
  /** The keys of `exports`. */
  readonly doors: readonly string[];
  /** Names of npm packages that an installation would bring along. */
  readonly dependencies: readonly string[];
}

export type Check = (house: House) => readonly Fault[];

export function homeOf(house: House, path: string): Home | undefined {
  return house.homes.find(({ folder }) => path.startsWith(`${folder}/`));
}

/** Whether a specifier names one of our packages. */
export function isOurs(specifier: string): boolean {
  return opens("@pith", specifier) || opens("pith", specifier);
}

/** Whether a name, of a scope, a package or a door, is or contains what the specifier asks for. */
export function opens(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}
