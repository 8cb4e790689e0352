/** Where a path leads: the absolute path, and the name by which the model is told of it. */

import { isAbsolute, join, relative, resolve, sep } from "node:path";

export interface Place {
  readonly path: string;
  /** From the root where it lies inside, else absolute. */
  readonly shown: string;
}

export interface Ground {
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
}

export function placeOf(path: string, { root, home }: Ground): Place {
  const absolute = resolve(root, withoutTilde(path, home));
  return { path: absolute, shown: shownFrom(root, absolute) };
}

function withoutTilde(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

function shownFrom(root: string, path: string): string {
  const inside = relative(root, path);
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return inside === "" || isOutside ? path : inside;
}
