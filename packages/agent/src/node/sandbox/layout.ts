/**
 * Computes what a sandboxed command sees: the system to be read, the workspace, a private home and a private temporary folder. The real
 * home, other homes and known secrets are never among it.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../text.ts";
import { findOuterRepositories, findRepositoryPaths, guardedNestedPaths, isRepository } from "./git-paths.ts";
import { createGuards, findNestedNames, type Guard } from "./guarded-paths.ts";
import { type Mount, realPathAt } from "./mounts.ts";
import {
  existingRealPath,
  existingRealPaths,
  NEEDED_SOCKET_PATHS,
  otherSessionFolders,
  type SandboxOptions,
  SOCKET_FOLDERS,
  TEMPORARY_FOLDERS,
} from "./options.ts";
import { PlaceholderJournal } from "./placeholders.ts";
import { findHomes, findSystemSecrets, secretPathsIn } from "./secret-paths.ts";
import { findToolchains } from "./toolchains.ts";

/** What stays the same for all commands of a shell. All paths through no link. */
export interface FixedLayout {
  /** Private folders, toolchains and what else is shown, in the order in which later ones count. */
  readonly mounts: readonly Mount[];
  /** Places of secrets, visible or not. */
  readonly secrets: readonly string[];
  /** Folders beside the workspace in which commands may write when they may write at all. */
  readonly writable: readonly string[];
  /** Guarded names further down in the workspace. */
  readonly nestedNames: readonly string[];
  readonly journal: PlaceholderJournal;
}

/** Looked at once, before any command could have put a link there. The root goes through no link. */
export function createFixedLayout(sandbox: SandboxOptions): FixedLayout {
  const home = existingRealPath(sandbox.home) ?? sandbox.home;
  const homes = findHomes();
  const folders = temporaryFolders(sandbox.root);
  const secrets = [...secretPathsIn(home), ...findSystemSecrets()];
  const containsHome = (path: string): boolean => isWithin(path, home);
  const isSecret = (path: string): boolean => secrets.some((secret) => isWithin(secret, path));
  const permittedPaths = (paths: readonly string[] = []): readonly string[] =>
    existingRealPaths(paths).filter((path) => !containsHome(path) && !isSecret(path));
  const readable = [...findOuterRepositories(sandbox.root, home), ...permittedPaths(sandbox.readable)];
  return {
    mounts: [
      ...homes.map((path): Mount => ({ path, access: "empty" })),
      ...(existingRealPath(home) ? [{ path: home, access: "writable", source: sandbox.privateHome } as const] : []),
      ...folders.map((path): Mount => ({ path, access: "writable", source: sandbox.temporary })),
      ...findToolchains({ ...sandbox, home, hidden: [home, ...homes, ...folders] }),
      ...readable.map((path): Mount => ({ path, access: "readable" })),
    ],
    secrets,
    writable: permittedPaths(sandbox.writable),
    nestedNames: findNestedNames(sandbox.root),
    journal: new PlaceholderJournal(sandbox.journal),
  };
}

/** A workspace that holds the temporary folder of the machine keeps it as it is. */
function temporaryFolders(root: string): readonly string[] {
  return [...new Set(existingRealPaths(TEMPORARY_FOLDERS))].filter((path) => !isWithin(root, path));
}

export type Layout =
  | {
      readonly type: "ready";
      readonly mounts: readonly Mount[];
      /** To be called when the command has ended. */
      release(): void;
    }
  /** Something that has to stay as it is could not be kept. */
  | { readonly type: "failed"; readonly why: string };

/** Its root goes through no link. All is looked at in one go: a hundred glances, and nothing of ours moves in between. */
export function createLayout(
  sandbox: SandboxOptions,
  fixed: FixedLayout,
  credentialFiles: readonly string[] = [],
): Layout {
  const mayWrite = sandbox.mayWrite();
  const roots = mayWrite ? [sandbox.root, ...fixed.writable.filter(isRepository)] : [];
  const repositories = roots.map((root) => findRepositoryPaths(root, sandbox.home));
  const link = repositories.find((repository) => repository.linkedPath !== null)?.linkedPath;
  if (link) return { type: "failed", why: `${link} is reached by a link` };
  const repositoryFolders = repositories.flatMap((repository) => repository.writable);
  const writable = mayWrite ? [...fixed.writable, ...repositoryFolders, sandbox.root] : [];
  const guarded = [
    ...(mayWrite ? guardedNestedPaths(fixed.nestedNames, sandbox.home) : []),
    ...repositories.flatMap((repository) => repository.guarded),
  ];
  return applyGuards(createGuards({ ...sandbox, roots, journal: fixed.journal }, guarded, writable), (mounts) => {
    const visibleMounts: readonly Mount[] = [
      ...fixed.mounts,
      ...(mayWrite ? [] : fixed.writable).map((path): Mount => ({ path, access: "readable" })),
      { path: sandbox.root, access: "readable" },
      ...writable.map((path): Mount => ({ path, access: "writable" })),
      ...neededSocketMounts(),
    ];
    return [
      ...visibleMounts,
      ...mounts,
      ...hiddenMounts(sandbox, fixed, visibleMounts),
      ...credentialMounts(credentialFiles, sandbox.home),
    ];
  });
}

/** For a command that was permitted to use them: files of the real home, each where it lies there. */
function credentialMounts(files: readonly string[], home: string): readonly Mount[] {
  const realHome = existingRealPath(home) ?? home;
  return files.flatMap((file) => {
    const path = file.startsWith("~/") ? join(realHome, file.slice(2)) : file;
    const source = existingRealPath(path);
    const isUsable = source !== null && isWithin(realHome, path) && statSync(source).isFile();
    return isUsable ? [{ path, access: "readable", source } as const] : [];
  });
}

function applyGuards(guards: readonly Guard[], buildMounts: (guarded: readonly Mount[]) => readonly Mount[]): Layout {
  const release = (): void => {
    for (const { reservation } of guards) if (reservation.type === "reserved") reservation.release();
  };
  for (const { reservation } of guards) {
    if (reservation.type !== "failed") continue;
    release();
    return reservation;
  }
  return { type: "ready", mounts: buildMounts(guards.flatMap((guard) => guard.mounts)), release };
}

/** Of what is hidden only what would be seen needs to be covered. */
function hiddenMounts(
  sandbox: SandboxOptions,
  { secrets }: FixedLayout,
  visibleMounts: readonly Mount[],
): readonly Mount[] {
  const isVisible = (path: string): boolean => realPathAt(path, visibleMounts) === path;
  const sockets = existingRealPaths([...SOCKET_FOLDERS, sandbox.environment.XDG_RUNTIME_DIR ?? ""]);
  const hidden = existingRealPaths([...(sandbox.hidden ?? []), ...otherSessionFolders(sandbox)]);
  const hiddenPaths = [
    ...sockets.filter((path) => !TEMPORARY_FOLDERS.includes(path)),
    ...existingRealPaths(secrets),
    ...hidden,
  ];
  return [
    ...hiddenPaths.filter(isVisible).map((path): Mount => ({ path, access: isFolder(path) ? "empty" : "closed" })),
    ...shownMounts(sandbox, hidden),
  ];
}

/** A link to the hidden folder itself does not open it. */
function shownMounts({ shown = [] }: SandboxOptions, hidden: readonly string[]): readonly Mount[] {
  const isInside = (path: string): boolean => hidden.some((each) => each !== path && isWithin(each, path));
  return existingRealPaths(shown)
    .filter(isInside)
    .map((path) => ({ path, access: "readable" }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function neededSocketMounts(): readonly Mount[] {
  const isAmongSockets = (path: string): boolean => SOCKET_FOLDERS.some((folder) => isWithin(folder, path));
  return existingRealPaths(NEEDED_SOCKET_PATHS)
    .filter(isAmongSockets)
    .map((path) => ({ path, access: "readable" }));
}
