/** Keeps the name of something absent from being taken: while commands run an empty folder stands there, and goes with the last of them. */

import { mkdirSync, mkdtempSync, opendirSync, readdirSync, renameSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../disk/error-code.ts";
import { inOpened } from "./open-folder.ts";

export type Holding =
  | { readonly type: "held"; release(): void }
  /** Something else has the name, or nobody could give it to anything. */
  | { readonly type: "not-free" }
  /** A command could take the name, and nobody can keep it from that. */
  | { readonly type: "unkept"; readonly why: string };

type Marked = "marked" | "other" | "changed" | "refused";

/**
 * Each command puts a folder of its own into the placeholder: no sandbox can take it away, git sees no empty folders,
 * and a folder that is not empty cannot be removed, so whoever comes last does it, in whichever program.
 */
const MARK = /^pith-(\d+)-\d+$/;
let count = 0;

export function placeholder(path: string): Holding {
  count += 1;
  const mark = join(path, `pith-${process.pid}-${count}`);
  for (;;) {
    const outcome = marked(path, mark);
    if (outcome === "other") return { type: "not-free" };
    if (outcome === "refused") return { type: "unkept", why: `nothing can be created beside ${path}` };
    if (outcome === "marked") return { type: "held", release: () => remove(mark, path) };
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
  if (draft === "other" || draft === "refused") return draft;
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

/** Where the disk or its owner lets nothing be created, no command can create it either. But what is ours a command could open again. */
function draftBeside(path: string): string {
  const folder = dirname(path);
  try {
    return mkdtempSync(join(folder, ".pith-"));
  } catch (error) {
    const isOurs = statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    const isForGood =
      codeOf(error) === "EROFS" || codeOf(error) === "ENOENT" || (codeOf(error) === "EACCES" && !isOurs);
    return isForGood ? "other" : "refused";
  }
}

function remove(...folders: readonly string[]): void {
  for (const folder of folders) inOpened(dirname(folder), () => rmdirSync(folder));
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
