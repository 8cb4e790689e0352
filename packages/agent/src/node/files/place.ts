/** Where a path leads: the absolute path, and the name by which the model is told of it. */

import { join, resolve } from "node:path";
import { shownFrom } from "../../text/paths.ts";

export interface Place {
  readonly path: string;
  /** From the root where it lies inside, else absolute. */
  readonly shown: string;
  /** Where it must lead, every link followed; unless said, wherever it leads. */
  readonly real?: string | undefined;
}

export interface Whence {
  /** Where relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
}

export function placeOf(path: string, { root, home }: Whence): Place {
  const absolute = resolve(root, withoutTilde(path, home));
  return { path: absolute, shown: shownFrom(root, absolute) };
}

function withoutTilde(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}
