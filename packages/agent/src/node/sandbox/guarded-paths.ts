/** Protects paths that lie where commands may write, whether they exist or not. */

import { closeSync, type Dirent, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { GUARDED_FILES, GUARDED_FOLDERS, MERCURIAL_NAMES, STARTUP_NAMES } from "../../permissions/protected-paths.ts";
import { isWithin } from "../../text.ts";
import { type Box, presentPath, presentPaths } from "./box.ts";
import { type Mount, openFolderAt } from "./mounts.ts";
import {
  type Holding,
  inOpened,
  isPlaceholder,
  keptFile,
  marksOf,
  type PlaceholderJournal,
  placeholder,
} from "./placeholders.ts";

/**
 * A link cannot be mounted over, so no sandbox keeps it from being replaced; it is restored when the command has ended. Not free where it
 * is no link. Its folder is held open: a command may exchange that for a link to any other, and nothing is removed there.
 */
export function keptLink(path: string): Holding {
  const target = targetOf(path);
  const real = presentPath(dirname(path));
  if (target === null || real === null) return { type: "not-free" };
  const folder = openFolderAt(real);
  return {
    type: "held",
    release: () => {
      const held = `/proc/self/fd/${folder}/${basename(path)}`;
      if (targetOf(held) !== target) putBack(held, target);
      closeSync(folder);
    },
  };
}

function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or nothing at all.
    return null;
  }
}

/** What stands there instead was made by a command. */
function putBack(path: string, target: string): void {
  inOpened(dirname(path), () => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path);
  });
}

export interface Guarded {
  readonly path: string;
  /** What a file says that stands there where it is absent; an empty folder does, where nothing is said. */
  readonly text?: string;
}

export interface Guard {
  readonly mounts: readonly Mount[];
  readonly holding: Holding;
}

export interface GuardOptions extends Pick<Box, "guarded"> {
  /** The workspace, and other folders that are treated like it. */
  readonly roots: readonly string[];
  /** Where names are noted before they are created. */
  readonly journal: PlaceholderJournal;
}

/** `writable` are the folders in which something might happen to them. */
export function guardsOf(
  options: GuardOptions,
  guarded: readonly Guarded[],
  writable: readonly string[],
): readonly Guard[] {
  const named = [...options.roots.flatMap(ownNames), ...(options.guarded ?? [])];
  const all = [...named.map((path): Guarded => ({ path: firstMissing(path) })), ...guarded];
  const once = new Map(all.map((each) => [each.path, each]));
  return [...once.values()].map((each) => guard(each, writable, options.journal));
}

function ownNames(root: string): readonly string[] {
  const within = (name: string): string => join(root, name);
  // Beside a repository of git, an empty folder `.hg` would be taken for the repository by some tools.
  const isGit = presentPath(within(".git")) !== null && !isPlaceholder(within(".git"));
  const mercurial = isGit && presentPath(within(".hg")) === null ? [] : MERCURIAL_NAMES;
  return [
    ...[...GUARDED_FOLDERS, ...GUARDED_FILES, ...mercurial].map(within),
    ...presentPaths(STARTUP_NAMES.map(within)),
  ];
}

function guard(guarded: Guarded, writable: readonly string[], journal: PlaceholderJournal): Guard {
  const isInReach = (real: string | null): real is string => writable.some((each) => real && isWithin(each, real));
  const { path } = guarded;
  const real = presentPath(path);
  const shown: readonly Mount[] = isInReach(real) ? [{ path: real, as: "readable" }] : [];
  if (!isInReach(presentPath(dirname(path)))) return { mounts: shown, holding: { type: "not-free" } };
  const link = keptLink(path);
  return link.type === "held" ? { mounts: shown, holding: link } : heldName(guarded, shown, journal);
}

function heldName({ path, text }: Guarded, shown: readonly Mount[], journal: PlaceholderJournal): Guard {
  if (presentPath(path) === null) journal.note({ path, text });
  const holding = text === undefined ? placeholder(path) : keptFile(path, text);
  if (holding.type !== "held") return { mounts: shown, holding };
  if (text === undefined) return { mounts: [{ path, as: "empty" }], holding };
  const marks: Mount = { path: marksOf(path), as: "empty" };
  return { mounts: [{ path, as: "readable" }, marks], holding };
}

/** Of the folders that lead to a path, the first that is not there or only stands for one; the path itself where all of them are. */
function firstMissing(path: string): string {
  const above = dirname(path);
  const isThere = above === path || (presentPath(above) !== null && !isPlaceholder(above));
  return isThere ? path : firstMissing(above);
}

/** Looked at in one go before the first command, so neither far nor long. */
const MOST_DEPTH = 3;
const MOST_FOLDERS = 400;
const MOST_FOUND = 24;
const GUARDED: ReadonlySet<string> = new Set([".git", ...GUARDED_FOLDERS, ...GUARDED_FILES]);

/**
 * Only names that exist at the start are guarded: what a command creates is its own. Their paths, without those right in the root; what is
 * nearer comes first.
 */
export function nestedNames(root: string): readonly string[] {
  const found: string[] = [];
  let folders = foldersIn(root);
  let looks = 0;
  for (let depth = 1; depth <= MOST_DEPTH; depth += 1) {
    const next: string[] = [];
    for (const folder of folders.slice(0, MOST_FOLDERS - looks)) {
      looks += 1;
      const names = entriesIn(folder).filter((entry) => GUARDED.has(entry.name) && !entry.isSymbolicLink());
      found.push(...names.map(({ name }) => join(folder, name)));
      next.push(...foldersIn(folder));
    }
    folders = next;
  }
  return found.slice(0, MOST_FOUND);
}

function foldersIn(folder: string): readonly string[] {
  const isOpen = ({ name }: Dirent): boolean => name !== "node_modules" && !GUARDED.has(name);
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory() && isOpen(entry))
    .map(({ name }) => join(folder, name));
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What cannot be looked into is nobody's to obey.
    return [];
  }
}
