/** Keeps the name of an absent file where a folder would be taken for damage: a file that says nothing new stands there while commands run. */

import { lstatSync, readdirSync, readFileSync, rmdirSync, type Stats, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { inOpened } from "./open-folder.ts";
import { type Holding, isPlaceholder, placeholder } from "./placeholder.ts";

/** The folder beside it with a mark of each command that needs it: whose folder is gone, is somebody's own. */
export function marksOf(path: string): string {
  return `${path}.pith`;
}

export function keptFile(path: string, text: string): Holding {
  const marks = marksOf(path);
  const wasOurs = isPlaceholder(marks);
  if (!wasOurs && entryAt(path)) return { type: "not-free" };
  const holding = wasOurs ? placeholder(marks) : freshMarks(marks);
  if (holding.type === "not-free" && entryAt(marks))
    return { type: "unkept", why: `something else stands at ${marks}` };
  if (holding.type !== "held") return holding;
  const release = (): void => {
    if (isLast(marks)) inOpened(dirname(path), () => unlinkSync(path));
    holding.release();
  };
  if (stands(path, text)) return { type: "held", release };
  holding.release();
  return { type: "unkept", why: `something else stands at ${path}, beside ${marks}` };
}

/** An empty folder is what a program left that was killed at the last moment. */
function freshMarks(marks: string): Holding {
  inOpened(dirname(marks), () => rmdirSync(marks));
  return placeholder(marks);
}

/** Whoever comes second finds it there. */
function stands(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch {
    return entryAt(path)?.isFile() === true && readFileSync(path, "utf8") === text;
  }
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isLast(marks: string): boolean {
  try {
    return readdirSync(marks).length < 2;
  } catch {
    // Whoever took it away took the file with it.
    return false;
  }
}
