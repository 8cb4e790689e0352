/** What stays as it is though it lies where commands may write, be it there or not. */

import { dirname, join } from "node:path";
import { GUARDED_FILES, GUARDED_FOLDERS, STARTUP_NAMES } from "../../../../permissions/guarded-names.ts";
import { isWithin } from "../../../../text/paths.ts";
import type { Box } from "../../box.ts";
import type { Mount } from "../mounts.ts";
import { presentPath, presentPaths } from "../present-path.ts";
import { keptFile, marksOf } from "./kept-file.ts";
import { keptLink } from "./kept-link.ts";
import { type Holding, isPlaceholder, placeholder } from "./placeholder.ts";

export interface Guarded {
  readonly path: string;
  /** What a file says that stands there where it is absent; an empty folder does, where nothing is said. */
  readonly text?: string;
}

export interface Guard {
  readonly mounts: readonly Mount[];
  readonly holding: Holding;
}

/** `writable` are the folders in which something might happen to them. */
export function guardsOf(box: Box, guarded: readonly Guarded[], writable: readonly string[]): readonly Guard[] {
  const named = [...(box.mayWrite() ? ownNames(box.root) : []), ...(box.guarded ?? [])];
  const all = [...named.map((path): Guarded => ({ path: firstMissing(path) })), ...guarded];
  const once = new Map(all.map((each) => [each.path, each]));
  return [...once.values()].map((each) => guard(each, writable));
}

function ownNames(root: string): readonly string[] {
  const within = (name: string): string => join(root, name);
  return [...[...GUARDED_FOLDERS, ...GUARDED_FILES].map(within), ...presentPaths(STARTUP_NAMES.map(within))];
}

function guard(guarded: Guarded, writable: readonly string[]): Guard {
  const isInReach = (real: string | null): real is string => writable.some((each) => real && isWithin(each, real));
  const { path } = guarded;
  const real = presentPath(path);
  const shown: readonly Mount[] = isInReach(real) ? [{ path: real, as: "readable" }] : [];
  if (!isInReach(presentPath(dirname(path)))) return { mounts: shown, holding: { type: "not-free" } };
  const link = keptLink(path);
  return link.type === "held" ? { mounts: shown, holding: link } : heldName(guarded, shown);
}

function heldName({ path, text }: Guarded, shown: readonly Mount[]): Guard {
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
