/**
 * Computes what a sandboxed command sees: the read-only system, the workspace, a private home and a private temporary folder. Never the real
 * home, other homes, folders beside the workspace or known secrets.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../text.ts";
import type { AbsentNames } from "./absent-names.ts";
import { GeneratedFolders } from "./generated-folders.ts";
import { findRepositoryPaths, isRepository, listGuardedNestedPaths } from "./git-paths.ts";
import { createGuards, findNestedNames, type Guard } from "./guarded-paths.ts";
import { type Mount, realPathAt } from "./mounts.ts";
import {
  NEEDED_PATHS,
  otherSessionFolders,
  resolveExistingPath,
  resolveExistingPaths,
  type SandboxOptions,
  SOCKET_FOLDERS,
  TEMPORARY_FOLDERS,
} from "./options.ts";
import { PlaceholderJournal } from "./path-placeholders.ts";
import { findHiddenPlaces, findOuterProjects } from "./project-folders.ts";
import { findHomes, findSystemSecrets, secretPathsIn } from "./secret-paths.ts";
import { findToolchains } from "./toolchains.ts";

/** Paths that are the same for all commands of a shell; without links. */
export interface FixedLayout {
  /** Private folders, toolchains and other visible paths; later ones override earlier ones. */
  readonly mounts: readonly Mount[];
  /** Folders that are empty except for mounts, because other projects lie there. */
  readonly hiddenPlaces: readonly string[];
  /** Paths of secrets, visible or not. */
  readonly secrets: readonly string[];
  /** Folders outside the workspace in which commands may write if they may write at all. */
  readonly writable: readonly string[];
  /** Guarded names in subfolders of the workspace. */
  readonly nestedNames: readonly string[];
  readonly journal: PlaceholderJournal;
  readonly generatedFolders: GeneratedFolders;
}

/** Resolved once, before any command could replace a folder by a link. The root must be a real path. */
export function createFixedLayout(sandbox: SandboxOptions): FixedLayout {
  const home = resolveExistingPath(sandbox.home) ?? sandbox.home;
  const homes = findHomes();
  const folders = temporaryFolders(sandbox.root);
  const secrets = [...secretPathsIn(home), ...findSystemSecrets()];
  const containsHome = (path: string): boolean => isWithin(path, home);
  const isSecret = (path: string): boolean => secrets.some((secret) => isWithin(secret, path));
  const listPermittedPaths = (paths: readonly string[] = []): readonly string[] =>
    resolveExistingPaths(paths).filter((path) => !containsHome(path) && !isSecret(path));
  const outerProjects = findOuterProjects(sandbox.root, home);
  const readable = [...outerProjects, ...listPermittedPaths(sandbox.readable)];
  const hiddenPlaces = findHiddenPlaces({ ...sandbox, outerProjects, hidden: [home, ...homes, ...folders] });
  const toolchains = findToolchains({ ...sandbox, home, hidden: [home, ...homes, ...folders, ...hiddenPlaces] });
  return {
    mounts: [
      ...[...hiddenPlaces, ...homes].map((path): Mount => ({ path, access: "empty" })),
      ...(resolveExistingPath(home) ? [{ path: home, access: "writable", source: sandbox.privateHome } as const] : []),
      ...folders.map((path): Mount => ({ path, access: "writable", source: sandbox.temporary })),
      // Programs in the workspace are visible anyway, and commands must be able to install others.
      ...toolchains.filter(({ path }) => !isWithin(sandbox.root, path)),
      ...readable.map((path): Mount => ({ path, access: "readable" })),
    ],
    hiddenPlaces,
    secrets,
    writable: listPermittedPaths(sandbox.writable),
    nestedNames: findNestedNames(sandbox.root),
    journal: new PlaceholderJournal(sandbox.journal),
    generatedFolders: new GeneratedFolders(sandbox.privateHome),
  };
}

/** A workspace that contains the machine's temporary folder sees it unchanged. */
function temporaryFolders(root: string): readonly string[] {
  return [...new Set(resolveExistingPaths(TEMPORARY_FOLDERS))].filter((path) => !isWithin(root, path));
}

export interface ReadyLayout {
  readonly type: "ready";
  readonly mounts: readonly Mount[];
  /** The workspace, and other repositories in which the command may write. */
  readonly roots: readonly string[];
  /** What is caught if the command makes it. */
  readonly absent: AbsentNames;
  /** Must be called when the command has ended. */
  release(): void;
}

export type Layout =
  | ReadyLayout
  /** A path that must be protected could not be. */
  | { readonly type: "failed"; readonly why: string };

/** The root must be a real path. Synchronous, so that nothing in this process changes between the checks. */
export function createLayout(
  sandbox: SandboxOptions,
  fixed: FixedLayout,
  credentialFiles: readonly string[] = [],
): Layout {
  const mayWrite = sandbox.mayWrite();
  const roots = mayWrite ? [sandbox.root, ...fixed.writable.filter(isRepository)] : [];
  const repositories = roots.map((root) => findRepositoryPaths({ ...sandbox, root }));
  const link = repositories.find((repository) => repository.linkedPath !== null)?.linkedPath;
  if (link) return { type: "failed", why: `${link} is reached through a symbolic link` };
  const repositoryFolders = repositories.flatMap((repository) => repository.writable);
  const writable = mayWrite ? [...fixed.writable, ...repositoryFolders, sandbox.root] : [];
  const guarded = [
    ...(mayWrite ? listGuardedNestedPaths(fixed.nestedNames, sandbox.home) : []),
    ...repositories.flatMap((repository) => repository.guarded),
  ];
  const { guards, absent } = createGuards({ ...sandbox, roots, journal: fixed.journal }, guarded, writable);
  return applyGuards(guards, { roots, absent }, (mounts) => {
    const visibleMounts: readonly Mount[] = [
      ...fixed.mounts,
      ...(mayWrite ? [] : fixed.writable).map((path): Mount => ({ path, access: "readable" })),
      { path: sandbox.root, access: "readable" },
      ...writable.map((path): Mount => ({ path, access: "writable" })),
      ...createNeededMounts([...SOCKET_FOLDERS, ...fixed.hiddenPlaces]),
    ];
    return [
      ...visibleMounts,
      ...mounts,
      ...fixed.generatedFolders.createMounts(
        mayWrite ? guarded.flatMap(({ generated }) => generated ?? []) : [],
        sandbox.root,
      ),
      ...createHiddenMounts(sandbox, fixed, visibleMounts),
      ...credentialMounts(credentialFiles, sandbox.home),
    ];
  });
}

/** Shows permitted files of the real home at their own paths. */
function credentialMounts(files: readonly string[], home: string): readonly Mount[] {
  const realHome = resolveExistingPath(home) ?? home;
  return files.flatMap((file) => {
    const path = file.startsWith("~/") ? join(realHome, file.slice(2)) : file;
    const source = resolveExistingPath(path);
    const isUsable = source !== null && isWithin(realHome, path) && statSync(source).isFile();
    return isUsable ? [{ path, access: "readable", source } as const] : [];
  });
}

function applyGuards(
  guards: readonly Guard[],
  watched: Pick<ReadyLayout, "roots" | "absent">,
  buildMounts: (guarded: readonly Mount[]) => readonly Mount[],
): Layout {
  const release = (): void => {
    for (const { reservation } of guards) if (reservation.type === "reserved") reservation.release();
  };
  for (const { reservation } of guards) {
    if (reservation.type !== "failed") continue;
    release();
    return reservation;
  }
  return { type: "ready", mounts: buildMounts(guards.flatMap((guard) => guard.mounts)), ...watched, release };
}

/** Only hidden paths that would otherwise be visible need a mount. */
function createHiddenMounts(
  sandbox: SandboxOptions,
  { secrets }: FixedLayout,
  visibleMounts: readonly Mount[],
): readonly Mount[] {
  const isVisible = (path: string): boolean => realPathAt(path, visibleMounts) === path;
  const sockets = resolveExistingPaths([...SOCKET_FOLDERS, sandbox.environment.XDG_RUNTIME_DIR ?? ""]);
  const hidden = resolveExistingPaths([...(sandbox.hidden ?? []), ...otherSessionFolders(sandbox)]);
  const hiddenPaths = [
    ...sockets.filter((path) => !TEMPORARY_FOLDERS.includes(path)),
    ...resolveExistingPaths(secrets),
    ...hidden,
  ];
  return [
    ...hiddenPaths.filter(isVisible).map((path): Mount => ({ path, access: isFolder(path) ? "empty" : "closed" })),
    ...createVisibleMounts(sandbox, hidden),
  ];
}

/** A `shown` path that resolves to the hidden folder itself is ignored. */
function createVisibleMounts({ shown = [] }: SandboxOptions, hidden: readonly string[]): readonly Mount[] {
  const isInside = (path: string): boolean => hidden.some((each) => each !== path && isWithin(each, path));
  return resolveExistingPaths(shown)
    .filter(isInside)
    .map((path) => ({ path, access: "readable" }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Programs of the system need these paths wherever they lead; in WSL, `/etc/resolv.conf` is a link to `/mnt/wsl`. */
function createNeededMounts(hiddenFolders: readonly string[]): readonly Mount[] {
  const isHidden = (path: string): boolean => hiddenFolders.some((folder) => isWithin(folder, path));
  return resolveExistingPaths(NEEDED_PATHS)
    .filter(isHidden)
    .map((path) => ({ path, access: "readable" }));
}
