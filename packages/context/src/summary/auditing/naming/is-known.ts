/** Whether a name of a summary occurs in what was covered: leniently where a name may be written in more than one way. */

import { isKnownWord, type Joint, joints, type KnownNames, withoutV } from "../evidence/known-names.ts";
import type { Name } from "./names-in.ts";

export function isKnownName({ text, kind }: Pick<Name, "text" | "kind">, names: KnownNames): boolean {
  const parts = joints(withoutV(text));
  const hasWords = parts.every(({ word }) => word.length === 1 || isKnownWord(word, names));
  switch (kind) {
    case "code":
    case "loose":
      return hasWords;
    case "exact":
      return hasWords && parts.every(({ pair }) => hasPair(pair, names));
    case "path":
      return hasPath(parts, names) && (hasWords || hasFolder(parts, names));
  }
}

const hasPair = (pair: string | null, { pairs }: KnownNames): boolean => pair === null || pairs.has(pair);

/** The end of a path says which file it is: the folders before it may be written or not. */
function hasPath(parts: readonly Joint[], names: KnownNames): boolean {
  return hasPair(parts.at(-1)?.pair ?? null, names);
}

function hasFolder(parts: readonly Joint[], names: KnownNames): boolean {
  const ends = parts.slice(-ENDS).map(({ pair }) => pair);
  return ends.length === ENDS && ends.every((pair) => pair !== null && names.pairs.has(pair));
}

/** A folder with a file's name, and the name with its ending. */
const ENDS = 2;
