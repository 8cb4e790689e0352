/** A folder of git with settings of its own: a repository's, or that of a module in it. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Guarded } from "../names/guards.ts";
import { isFile, namedBySettings, type Settings } from "./settings.ts";

type Place = Omit<Settings, "file">;

/** What git runs or believes in it. */
export function guardedIn(git: string, place: Place): readonly Guarded[] {
  const file = join(git, "config");
  return [
    { path: file },
    { path: join(git, "hooks") },
    // Settings are read from the folder that it names, where it is there; by this it names its own.
    { path: join(git, "commondir"), text: ".\n" },
    ownSettings(git),
    ...namedBySettings({ ...place, file }),
    ...worktreesOf(git).flatMap(guardedOfWorktree),
    ...[git, ...worktreesOf(git)].flatMap(modulesOf).flatMap((each) => guardedIn(each, place)),
  ];
}

/** Read where the other settings say so, which some commands of git make them do. */
function ownSettings(folder: string): Guarded {
  return { path: join(folder, "config.worktree"), text: "" };
}

function worktreesOf(git: string): readonly string[] {
  return foldersIn(join(git, "worktrees")).filter((folder) => isFile(join(folder, "commondir")));
}

/** Other than in a repository, all of it is there from the beginning. */
export function guardedOfWorktree(folder: string): readonly Guarded[] {
  const places = ["commondir", "gitdir"].map((name): Guarded => ({ path: join(folder, name) }));
  return [...places, ownSettings(folder)];
}

/** Names of modules may have several parts. */
const MOST_PARTS = 4;

export function modulesOf(git: string): readonly string[] {
  return modulesBelow(join(git, "modules"), MOST_PARTS);
}

function modulesBelow(folder: string, partsLeft: number): readonly string[] {
  if (partsLeft === 0) return [];
  return foldersIn(folder).flatMap((each) =>
    isFile(join(each, "config")) ? [each] : modulesBelow(each, partsLeft - 1),
  );
}

/** Those that are no links. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    // Most repositories have none.
    return [];
  }
}
