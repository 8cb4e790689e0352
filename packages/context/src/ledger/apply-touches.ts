/** Applies reads, changes, deletions and moves to a list of files. A deleted file leaves the list. */

import type { PathTouch } from "./shell-commands.ts";

/** A file that was read or modified, and still exists as far as is known. */
export interface TouchedFile {
  readonly path: string;
  readonly did: "read" | "modified";
}

/** Returns each file once, at the position of its newest touch. A modified file stays `modified` when it is read later. */
export function applyTouches(touches: readonly PathTouch[]): readonly TouchedFile[] {
  const files: FileMap = new Map();
  for (const touch of touches) applyTouch(files, touch);
  return [...files.values()];
}

/** By file key, so that `./a.ts` and `a.ts` are the same file. */
type FileMap = Map<string, TouchedFile>;

function applyTouch(files: FileMap, touch: PathTouch): void {
  switch (touch.did) {
    case "read":
    case "modified":
      addFile(files, { path: touch.path, did: touch.did });
      break;
    case "deleted":
      for (const key of [...files.keys()]) if (isDeletedBy(touch, key)) files.delete(key);
      break;
    case "moved":
      moveFiles(files, fileKey(touch.path), fileKey(touch.to));
  }
}

/** Returns the key of a file: `./a.ts` and `a.ts` are the same file. */
export function fileKey(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}

function addFile(files: FileMap, file: TouchedFile): void {
  const key = fileKey(file.path);
  const previous = files.get(key);
  files.delete(key);
  files.set(key, previous?.did === "modified" ? previous : file);
}

/** Whether a deletion removes a path: the path itself, or a folder that contains it. */
export function isDeletedBy({ path, isPattern }: Extract<PathTouch, { did: "deleted" }>, candidate: string): boolean {
  const [deleted, key] = [fileKey(path), fileKey(candidate)];
  return isPattern ? matchesPattern(deleted, key) : isInside(deleted, key);
}

const isInside = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Matches the first folders of a path, as many as the pattern has. */
function matchesPattern(pattern: string, path: string): boolean {
  const names = path.split("/");
  const patterns = pattern.split("/");
  return names.length >= patterns.length && patterns.every((each, index) => matchesName(each, names[index] ?? ""));
}

/** A `*` at the start does not match a hidden file. */
function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || (first === "" && name.startsWith("."))) return false;
  let position = first.length;
  for (const text of rest) {
    const found = name.indexOf(text, position);
    if (found < 0) return false;
    position = found + text.length;
  }
  return name.length - last.length >= position && name.endsWith(last);
}

/** Renames a file, or every known file of a folder. A target with known files in it is a folder. */
function moveFiles(files: FileMap, from: string, to: string): void {
  const keys = [...files.keys()];
  const isFolder = keys.some((key) => key.startsWith(`${to}/`));
  const target = isFolder ? `${to}/${from.slice(from.lastIndexOf("/") + 1)}` : to;
  const contents = keys.filter((key) => key.startsWith(`${from}/`));
  for (const key of [from, ...contents]) files.delete(key);
  const paths = contents.length === 0 ? [target] : contents.map((key) => `${target}${key.slice(from.length)}`);
  for (const path of paths) addFile(files, { path, did: "modified" });
}
