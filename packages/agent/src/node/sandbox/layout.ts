/**
 * Computes what a sandboxed command sees: the system to be read, the workspace, a private home and a private temporary folder. The real
 * home, other homes and known secrets are never among it.
 */

import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../text.ts";
import {
  type Box,
  NEEDED_AMONG_SOCKETS,
  otherSessions,
  presentPath,
  presentPaths,
  SOCKET_FOLDERS,
  TEMPORARY,
} from "./box.ts";
import { guardedFurtherDown, repositoriesAround, repositoryOf } from "./git-paths.ts";
import { type Guard, guardsOf, nestedNames } from "./guarded-paths.ts";
import { type Mount, realPathBehind } from "./mounts.ts";
import { PlaceholderJournal } from "./placeholders.ts";
import { findHomes, findSystemSecrets, secretPlacesIn } from "./secret-places.ts";
import { findToolchains } from "./toolchains.ts";

/** What stays the same for all commands of a shell. All paths through no link. */
export interface StandingLayout {
  /** Private folders, toolchains and what else is shown, in the order in which later ones count. */
  readonly mounts: readonly Mount[];
  /** Places of secrets, visible or not. */
  readonly secrets: readonly string[];
  /** Folders beside the workspace in which commands may write when they may write at all. */
  readonly writable: readonly string[];
  /** Guarded names further down in the workspace. */
  readonly nested: readonly string[];
  readonly journal: PlaceholderJournal;
}

/** Looked at once, before any command could have put a link there. The root goes through no link. */
export function standingLayout(box: Box): StandingLayout {
  const home = presentPath(box.home) ?? box.home;
  const homes = findHomes();
  const folders = temporaryFolders(box.root);
  const secrets = [...secretPlacesIn(home), ...findSystemSecrets()];
  const holdsHome = (path: string): boolean => isWithin(path, home);
  const isSecret = (path: string): boolean => secrets.some((secret) => isWithin(secret, path));
  const wished = (paths: readonly string[] = []): readonly string[] =>
    presentPaths(paths).filter((path) => !holdsHome(path) && !isSecret(path));
  const readable = [...repositoriesAround(box.root, home), ...wished(box.readable)];
  return {
    mounts: [
      ...homes.map((path): Mount => ({ path, as: "empty" })),
      ...(presentPath(home) ? [{ path: home, as: "writable", source: box.privateHome } as const] : []),
      ...folders.map((path): Mount => ({ path, as: "writable", source: box.temporary })),
      ...findToolchains({ ...box, home, hidden: [home, ...homes, ...folders] }),
      ...readable.map((path): Mount => ({ path, as: "readable" })),
    ],
    secrets,
    writable: wished(box.writable),
    nested: nestedNames(box.root),
    journal: new PlaceholderJournal(box.journal),
  };
}

/** A workspace that holds the temporary folder of the machine keeps it as it is. */
function temporaryFolders(root: string): readonly string[] {
  return [...new Set(presentPaths(TEMPORARY))].filter((path) => !isWithin(root, path));
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

/** Its root goes through no link. All is looked at in one go: a hundred glances, and nothing of ours moves in between. */
export function layoutOf(box: Box, standing: StandingLayout, credentialFiles: readonly string[] = []): Layout {
  const mayWrite = box.mayWrite();
  const roots = mayWrite ? [box.root, ...standing.writable.filter(isRepository)] : [];
  const repositories = roots.map((root) => repositoryOf(root, box.home));
  const link = repositories.find((repository) => repository.link !== null)?.link;
  if (link) return { type: "unkept", why: `${link} is reached by a link` };
  const outside = repositories.flatMap((repository) => repository.writable);
  const writable = mayWrite ? [...standing.writable, ...outside, box.root] : [];
  const guarded = [
    ...(mayWrite ? guardedFurtherDown(standing.nested, box.home) : []),
    ...repositories.flatMap((repository) => repository.guarded),
  ];
  return kept(guardsOf({ ...box, roots, journal: standing.journal }, guarded, writable), (mounts) => {
    const shown: readonly Mount[] = [
      ...standing.mounts,
      ...(mayWrite ? [] : standing.writable).map((path): Mount => ({ path, as: "readable" })),
      { path: box.root, as: "readable" },
      ...writable.map((path): Mount => ({ path, as: "writable" })),
      ...neededAmongSockets(),
    ];
    return [...shown, ...mounts, ...hiddenPlaces(box, standing, shown), ...credentialMounts(credentialFiles, box.home)];
  });
}

/** For a command that was permitted to use them: files of the real home, each where it lies there. */
function credentialMounts(files: readonly string[], home: string): readonly Mount[] {
  const real = presentPath(home) ?? home;
  return files.flatMap((file) => {
    const path = file.startsWith("~/") ? join(real, file.slice(2)) : file;
    const source = presentPath(path);
    const isUsable = source !== null && isWithin(real, path) && statSync(source).isFile();
    return isUsable ? [{ path, as: "readable", source } as const] : [];
  });
}

function isRepository(folder: string): boolean {
  return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
}

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

/** Of what is hidden only what would be seen needs to be covered. */
function hiddenPlaces(box: Box, { secrets }: StandingLayout, shown: readonly Mount[]): readonly Mount[] {
  const isSeen = (path: string): boolean => realPathBehind(path, shown) === path;
  const sockets = presentPaths([...SOCKET_FOLDERS, box.environment.XDG_RUNTIME_DIR ?? ""]);
  const hidden = presentPaths([...(box.hidden ?? []), ...otherSessions(box)]);
  const covered = [...sockets.filter((path) => !TEMPORARY.includes(path)), ...presentPaths(secrets), ...hidden];
  return [
    ...covered.filter(isSeen).map((path): Mount => ({ path, as: isFolder(path) ? "empty" : "closed" })),
    ...shownPlaces(box, hidden),
  ];
}

/** A link to the hidden folder itself does not open it. */
function shownPlaces({ shown = [] }: Box, hidden: readonly string[]): readonly Mount[] {
  const isInside = (path: string): boolean => hidden.some((each) => each !== path && isWithin(each, path));
  return presentPaths(shown)
    .filter(isInside)
    .map((path) => ({ path, as: "readable" }));
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
