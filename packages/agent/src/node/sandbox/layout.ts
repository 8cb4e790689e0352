/** Computes what a sandboxed command sees: everything is readable, little is writable, some paths are hidden. */

import { lstatSync, readFileSync, statSync } from "node:fs";
import { isWithin } from "../../text.ts";
import {
  type Box,
  NEEDED_AMONG_SOCKETS,
  presentPaths,
  SOCKET_FOLDERS,
  SOCKET_VARIABLES,
  type Writable,
} from "./box.ts";
import { guardedFurtherDown, repositoryOf } from "./git-paths.ts";
import { type Guard, type Guarded, guardsOf } from "./guarded-paths.ts";
import type { Mount } from "./mounts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * By such a socket a command can have things done outside its sandbox, though it can write nothing there. Paths of those that there are.
 */
export function foreignSockets(environment: Environment): readonly string[] {
  const paths = new Set(presentPaths([...boundPaths(), ...namedPaths(environment)]));
  return [...paths].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket());
}

/** The kernel's list: a line for each, the path last where it has one. */
function boundPaths(): readonly string[] {
  const list = readFileSync("/proc/net/unix", "utf8");
  return list.split("\n").flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** What another container listens on is not in the list: `unix:path=/run/bus`, `unix:///run/docker.sock`, `/tmp/tmux-1/default,12,0`. */
function namedPaths(environment: Environment): readonly string[] {
  return SOCKET_VARIABLES.flatMap((name) => /\/(?!\/)[^,;]*/.exec(environment[name] ?? "")?.[0] ?? []);
}

export type Layout =
  | {
      readonly type: "laid-out";
      readonly mounts: readonly Mount[];
      /** To be called when the command has ended. */
      release(): void;
    }
  /** Something that has to stay as it is could not be kept. */
  | { readonly type: "unkept"; readonly why: string };

/** What stays the same for all commands of a shell. */
export interface Standing {
  readonly places: Writable;
  /** Guarded names further down in the workspace. */
  readonly nested: () => readonly string[];
}

/** Its root goes through no link. All is looked at in one go: a hundred glances, and nothing of ours moves in between. */
export function layoutOf(box: Box, { places, nested }: Standing): Layout {
  const repository = box.mayWrite() ? repositoryOf(box.root, box.home) : NONE;
  if (repository.link !== null) return { type: "unkept", why: `${repository.link} is reached by a link` };
  const own = box.mayWrite() ? [...places.caches, ...repository.writable, box.root] : [];
  const writable = [...places.temporary, ...own];
  const further = box.mayWrite() ? guardedFurtherDown(nested(), box.home) : [];
  return kept(guardsOf(box, [...further, ...repository.guarded], writable), (guarded) => [
    ...writable.map((path): Mount => ({ path, as: "writable" })),
    { path: box.root, as: box.mayWrite() ? "writable" : "readable" },
    ...neededAmongSockets(),
    ...guarded,
    ...closedPlaces(box, writable),
  ]);
}

const NONE = { writable: [], guarded: [] as readonly Guarded[], link: null };

function kept(guards: readonly Guard[], mounts: (guarded: readonly Mount[]) => readonly Mount[]): Layout {
  const release = (): void => {
    for (const { holding } of guards) if (holding.type === "held") holding.release();
  };
  for (const { holding } of guards) {
    if (holding.type !== "unkept") continue;
    release();
    return holding;
  }
  return { type: "laid-out", mounts: mounts(guards.flatMap((guard) => guard.mounts)), release };
}

function closedPlaces(box: Box, writable: readonly string[]): readonly Mount[] {
  const hidden = hiddenPlaces(box, writable);
  return [...hidden, ...shownPlaces(box, hidden), ...openSockets(box, hidden)];
}

/** A link to the hidden folder itself does not open it. */
function shownPlaces({ shown = [] }: Box, hidden: readonly Mount[]): readonly Mount[] {
  const isInside = (path: string): boolean => hidden.some((each) => each.path !== path && isWithin(each.path, path));
  return presentPaths(shown)
    .filter(isInside)
    .map((path) => ({ path, as: "readable" }));
}

/** Some machines have nothing better to name as the runtime folder than the temporary one. */
function hiddenPlaces(box: Box, writable: readonly string[]): readonly Mount[] {
  const folders = presentPaths([...SOCKET_FOLDERS, box.environment.XDG_RUNTIME_DIR ?? ""]);
  const paths = [...folders.filter((path) => !writable.includes(path)), ...presentPaths(box.hidden ?? [])];
  return paths.map((path) => ({ path, as: isFolder(path) ? "empty" : "closed" }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function neededAmongSockets(): readonly Mount[] {
  const isAmongSockets = (path: string): boolean => SOCKET_FOLDERS.some((folder) => isWithin(folder, path));
  return presentPaths(NEEDED_AMONG_SOCKETS)
    .filter(isAmongSockets)
    .map((path) => ({ path, as: "readable" }));
}

/** Those of the workspace are the project's own. */
function openSockets({ root, environment }: Box, hidden: readonly Mount[]): readonly Mount[] {
  const isOpen = (path: string): boolean => !isWithin(root, path) && !hidden.some((each) => isWithin(each.path, path));
  return foreignSockets(environment)
    .filter(isOpen)
    .map((path) => ({ path, as: "closed" }));
}
