/** Paths in a rule: from the workspace, from `~` or from `/`; `*` and `?` stay within a name, `**` goes across folders. */

import { fitsWithGaps } from "../../globs/fits-with-gaps.ts";
import type { Ground, Reached } from "../sight.ts";
import type { Fit } from "./fit.ts";
import { mistake, type RuleMistake } from "./mistake.ts";

export interface PathPattern {
  readonly type: "path";
  readonly from: "workspace" | "home" | "root";
  readonly names: readonly string[];
}

export function pathPattern(inside: string): PathPattern | RuleMistake {
  const names = inside.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return mistake("path", "a path in a rule may not go up with ..; write it from / or from ~");
  if (/[{}\\]/.test(inside)) return mistake("path", "of all signs only *, ** and ? mean something in a path");
  if (names.some((name) => name !== "**" && name.includes("**")))
    return mistake("star", "** stands alone between two slashes, as in src/**/test");
  if (inside.startsWith("/")) return { type: "path", from: "root", names };
  if (names[0] === "~") return { type: "path", from: "home", names: names.slice(1) };
  if (names[0]?.startsWith("~")) return mistake("path", "only ~ itself is known, no other person's home");
  return { type: "path", from: "workspace", names };
}

// Only where it leads in truth: a link in an allowed folder must not open what it points to.
export function isSurelyPath(pattern: PathPattern, { real }: Reached, ground: Ground): boolean {
  return real !== null && fitsPath(pattern, real, ground);
}

export function couldBePath(pattern: PathPattern, { named, real }: Reached, ground: Ground): Fit {
  if (fitsPath(pattern, named, ground) || (real !== null && fitsPath(pattern, real, ground))) return "fits";
  return real === null ? "unsure" : "not";
}

/** A name with slashes is taken as a path would be: `server/tool`, `server/*`, or `server` for all of it. */
export function fitsNamed({ from, names }: PathPattern, name: string): boolean {
  return from === "workspace" && fitsGlob(withAllBelow(names), name.split("/"));
}

function fitsPath({ from, names }: PathPattern, path: string, { root, home }: Ground): boolean {
  const start = { workspace: root, home, root: "/" }[from];
  const folders = start.split("/").filter((name) => name !== "");
  const found = path.split("/").filter((name) => name !== "");
  const isFromThere = folders.every((folder, at) => found[at] === folder);
  return isFromThere && fitsGlob(withAllBelow(names), found.slice(folders.length));
}

// A folder that is named stands for what is in it; a pattern of names does not.
function withAllBelow(names: readonly string[]): readonly string[] {
  return /[*?]/.test(names.at(-1) ?? "") ? names : [...names, "**"];
}

/** `**` takes any number of names, none too; in a name `*` takes any letters and `?` one. */
export function fitsGlob(glob: readonly string[], names: readonly string[]): boolean {
  return fitsWithGaps(glob, names, { isGap: (each) => each === "**", isFit: fitsName });
}

function fitsName(glob: string, name: string): boolean {
  return fitsWithGaps([...glob], [...name], {
    isGap: (letter) => letter === "*",
    isFit: (letter, found) => letter === "?" || letter === found,
  });
}
