/** What the settings of a repository lead git to: files with more settings, and folders and programs that it runs. */

import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Guarded } from "../names/guards.ts";

export interface Settings {
  /** The file they are in. */
  readonly file: string;
  /** The folder in which git works, from which it reads most paths. */
  readonly root: string;
  readonly home: string;
}

const NAMING = /(?:^|\])\s*(path|hookspath|fsmonitor|worktree)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const MOST_STEPS = 5;

/** Where they are and where they are not: an absent file that is named would be believed as soon as it is there. */
export function namedBySettings(settings: Settings, step = 0): readonly Guarded[] {
  if (step === MOST_STEPS) return [];
  const { file, root, home } = settings;
  return [...textOf(file).matchAll(NAMING)].flatMap(([, key = "", value = ""]): readonly Guarded[] => {
    const from = (folder: string): string => resolve(folder, value.replace(/^~(?=\/)/, home));
    switch (key.toLowerCase()) {
      case "path": {
        const path = from(dirname(file));
        return [{ path, text: "" }, ...namedBySettings({ ...settings, file: path }, step + 1)];
      }
      case "hookspath":
        return [{ path: folderOfHooks(from(root)) }];
      case "worktree":
        return [join(from(dirname(file)), ".git")].filter(isFile).map((path) => ({ path }));
      default:
        return [from(root)].filter(isFile).map((path) => ({ path }));
    }
  });
}

/** Some that are generated run the ones in the folder around them. */
function folderOfHooks(path: string): string {
  return basename(path) === "_" ? dirname(path) : path;
}

/** Empty where there is none. */
export function textOf(file: string): string {
  try {
    return isFile(file) ? readFileSync(file, "utf8") : "";
  } catch {
    // What cannot be read is read by git no more than by us.
    return "";
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A way that does not lead on is none.
    return false;
  }
}
