/** Finds the folders with other projects beside a workspace, which commands must not see, and the projects around it, which they need. */

import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../text.ts";
import { findOuterRepositories, isRepository, readTextIfFile } from "./git-paths.ts";
import { resolveExistingPath, resolveExistingPaths, SOCKET_FOLDERS, TEMPORARY_FOLDERS } from "./options.ts";

/** Folders of the Filesystem Hierarchy Standard and of macOS whose entries belong to different programs, users or disks. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  "/",
  ...["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "nix", "opt", "proc", "run", "sbin", "snap"].map(
    (name) => `/${name}`,
  ),
  ...["sys", "usr", "var", "nix/store", "var/cache", "var/lib", "var/log", "var/opt", "var/spool"].map(
    (name) => `/${name}`,
  ),
  ...["/usr", "/usr/local"].flatMap((folder) =>
    ["bin", "etc", "include", "lib", "lib32", "lib64", "libexec", "local", "sbin", "share", "src"].map(
      (name) => `${folder}/${name}`,
    ),
  ),
  ...["Applications", "Library", "System", "Users", "Volumes", "private", "private/etc", "private/var"].map(
    (name) => `/${name}`,
  ),
  "/opt/homebrew",
]);

/** Temporary folders have their own rules, also on macOS. */
const OTHER_FOLDERS: readonly string[] = [
  ...TEMPORARY_FOLDERS,
  ...SOCKET_FOLDERS,
  "/private/tmp",
  "/private/var/folders",
];

export interface HiddenPlaceOptions {
  /** The workspace; a real path. */
  readonly root: string;
  /** As `findOuterProjects` found them. */
  readonly outerProjects: readonly string[];
  /** Projects in which the program does not work, and which it does not see. */
  readonly otherProjects?: readonly string[] | undefined;
  /** Real paths of folders that are hidden anyway. */
  readonly hidden: readonly string[];
}

/**
 * The outermost folders around the workspace that do not belong to the system, such as `/srv` or `/mnt`. Commands see only in them what
 * is mounted there. Real paths.
 */
export function findHiddenPlaces({
  root,
  outerProjects,
  otherProjects = [],
  hidden,
}: HiddenPlaceOptions): readonly string[] {
  const around = outerProjects.filter((path) => isWithin(path, root));
  const [project = root] = around.toSorted((one, other) => one.length - other.length);
  const places = [
    findProjectsFolder(project),
    ...resolveExistingPaths(otherProjects).map((path) => findProjectsFolder(path) ?? path),
  ].filter((path) => path !== null);
  const isHidden = (path: string): boolean => [...hidden, ...OTHER_FOLDERS].some((each) => isWithin(each, path));
  return [...new Set(places)].filter((path) => !isHidden(path));
}

/** The outermost folder around a project that does not belong to the system; null where the project lies directly in a system folder. */
function findProjectsFolder(project: string): string | null {
  return listAncestors(project).find((folder) => !SYSTEM_FOLDERS.has(folder)) ?? null;
}

/** Outermost first. */
function listAncestors(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...listAncestors(parent), parent];
}

/**
 * The repositories that git reads outside the workspace; without a repository, the nearest folder of another version control system or the
 * root of a package manager's workspace. Real paths; none contains the home.
 */
export function findOuterProjects(root: string, home: string): readonly string[] {
  const repositories = findOuterRepositories(root, home);
  if (repositories.length > 0 || isRepository(root)) return repositories;
  const project = findMarkedFolder(dirname(root), home);
  return project === null ? [] : [project];
}

/** Only a folder of this user, because another user could make the folder above it a project. */
function findMarkedFolder(folder: string, home: string): string | null {
  if (isWithin(folder, home) || SYSTEM_FOLDERS.has(folder) || OTHER_FOLDERS.includes(folder)) return null;
  const isOurs = lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
  return isOurs && isMarked(folder) ? folder : findMarkedFolder(dirname(folder), home);
}

/** Names that mark the root of a project with several folders, and for files that may mean something else, what they contain. */
const MARKS: Readonly<Record<string, RegExp | null>> = {
  ".hg": null,
  ".jj": null,
  ".svn": null,
  "pnpm-workspace.yaml": null,
  "go.work": null,
  "package.json": /"workspaces"\s*:/,
  "Cargo.toml": /^\s*\[workspace\b/m,
};

function isMarked(folder: string): boolean {
  return Object.entries(MARKS).some(([name, content]) => {
    const path = join(folder, name);
    return content === null ? resolveExistingPath(path) !== null : content.test(readTextIfFile(path));
  });
}
