/** Keeps the name of something absent from being taken: while commands run an empty folder stands there, and goes with the last of them. */

import { mkdirSync, mkdtempSync, opendirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface Placeholder {
  release(): void;
}

type Marked = "marked" | "other" | "changed";

/**
 * Each command puts a folder of its own into the placeholder: no sandbox can take it away, git sees no empty folders,
 * and a folder that is not empty cannot be removed, so whoever comes last does it, in whichever program.
 */
const MARK = /^pith-(\d+)-\d+$/;
let count = 0;

/** Null where something else has the name, or nobody could give it to anything. */
export function placeholder(path: string): Placeholder | null {
  count += 1;
  const mark = join(path, `pith-${process.pid}-${count}`);
  for (;;) {
    const outcome = marked(path, mark);
    if (outcome === "other") return null;
    if (outcome === "marked") return { release: () => remove(mark, path) };
  }
}

/** One that is there for a command which runs now. Nothing but marks is ever in it, so one name tells. */
export function isPlaceholder(folder: string): boolean {
  try {
    const names = opendirSync(folder);
    const first = names.readSync();
    names.closeSync();
    return first !== null && MARK.test(first.name);
  } catch {
    return false;
  }
}

function marked(path: string, mark: string): Marked {
  try {
    const names = readdirSync(path);
    if (!names.length || !names.every((name) => MARK.test(name))) return "other";
    mkdirSync(mark);
    remove(...names.filter(isLeftBehind).map((name) => join(path, name)));
    return "marked";
  } catch (error) {
    return codeOf(error) === "ENOENT" ? created(path, mark) : "other";
  }
}

/** Appears with its mark in it: an empty folder would be somebody's own. */
function created(path: string, mark: string): Marked {
  const draft = draftBeside(path);
  if (draft === null) return "other";
  const draftMark = join(draft, basename(mark));
  try {
    mkdirSync(draftMark);
    renameSync(draft, path);
    return "marked";
  } catch (error) {
    remove(draftMark, draft);
    // Somebody was faster: it is looked at again. What else is in the way, such as a link to nowhere, stays.
    return codeOf(error) === "ENOTEMPTY" ? "changed" : "other";
  }
}

/** Null where nothing can be created, and so by no command either. */
function draftBeside(path: string): string | null {
  try {
    return mkdtempSync(join(dirname(path), ".pith-"));
  } catch {
    return null;
  }
}

function remove(...folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Gone already, or in use by another command, who removes it then.
    }
  }
}

/** Of a program that was killed. */
function isLeftBehind(mark: string): boolean {
  try {
    process.kill(Number(MARK.exec(mark)?.[1]), 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
