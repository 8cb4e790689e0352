/** What of this machine a command sees, and what it may change: all is readable, little is writable, some is not there. */

import { statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Box } from "./box.ts";
import { guardsOf } from "./guards.ts";
import type { Mount } from "./mounts.ts";
import { CACHES, NEEDED_AMONG_SOCKETS, SOCKET_FOLDERS, TEMPORARY } from "./places.ts";
import { isWithin, realPaths } from "./real-path.ts";
import { type Repository, repositoryOf } from "./repository.ts";
import { foreignSockets } from "./sockets.ts";

export interface Layout {
  readonly mounts: readonly Mount[];
  /** To be called when the command has ended. */
  release(): void;
}

/** Its root goes through no link. All is looked at in one go: a hundred glances, and nothing of ours moves in between. */
export function layoutOf(given: Box): Layout {
  const repository = given.mayWrite() ? repositoryOf(given.root) : null;
  const box = repository ? withRepository(given, repository) : given;
  const writable = writableFolders(box);
  const root: Mount = { path: box.root, as: box.mayWrite() ? "writable" : "readable" };
  const hidden = hiddenPlaces(box, writable);
  const sockets = openSockets(box, hidden);
  const guards = guardsOf(box, writable);
  return {
    mounts: [
      ...writable.map((path): Mount => ({ path, as: "writable" })),
      root,
      ...neededAmongSockets(),
      ...guards.map(({ mount }) => mount),
      ...hidden,
      ...sockets,
    ],
    release: () => {
      for (const { held } of guards) held?.release();
      for (const path of repository?.unwanted ?? []) sweepAway(path);
    },
  };
}

function withRepository(box: Box, { writable, guarded }: Repository): Box {
  return {
    ...box,
    extraWritable: [...(box.extraWritable ?? []), ...writable],
    guarded: [...(box.guarded ?? []), ...guarded],
  };
}

function sweepAway(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Most often there is nothing; and a folder is not what git would obey.
  }
}

/** Whatever a variable or a setting says, never all there is. */
function writableFolders(box: Box): readonly string[] {
  const temporary = box.temporary ?? [...TEMPORARY, box.environment.TMPDIR ?? "/tmp"];
  const caches = CACHES.map((name) => join(box.home, name));
  const root = box.mayWrite() ? [box.root] : [];
  const folders = realPaths([...temporary, ...caches, ...(box.extraWritable ?? []), ...root]);
  return folders.filter((path) => path !== "/");
}

/** Some machines have nothing better to name as the runtime folder than the temporary one. */
function hiddenPlaces(box: Box, writable: readonly string[]): readonly Mount[] {
  const folders = realPaths([...SOCKET_FOLDERS, box.environment.XDG_RUNTIME_DIR ?? ""]);
  const paths = [...folders.filter((path) => !writable.includes(path)), ...realPaths(box.hidden ?? [])];
  return paths.map((path) => ({ path, as: isFolder(path) ? "empty" : "closed" }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function neededAmongSockets(): readonly Mount[] {
  const isAmongSockets = (path: string): boolean => SOCKET_FOLDERS.some((folder) => isWithin(folder, path));
  return realPaths(NEEDED_AMONG_SOCKETS)
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
