/** What a file takes from other files of its package, to use it or to pass it on. */

import { posix } from "node:path";
import type { Source } from "../../house/source/source.ts";

export interface TakenName {
  /** The file it comes from. */
  readonly from: string;
  /** What it is called there; `*` for all types of that file. */
  readonly own: string;
  readonly name: string;
  readonly onlyType: boolean;
}

/** For itself. */
export function imported(source: Source): readonly TakenName[] {
  return taken(source, /^import\s+(type\s+)?(\{[^}]*\})\s+from\s+"( *)";/gm);
}

/** For others. */
export function passedOn(source: Source): readonly TakenName[] {
  return taken(source, /^export\s+(type\s+)?(\{[^}]*\}|\*)\s+from\s+"( *)";/gm);
}

function taken({ path, text, code }: Source, statement: RegExp): readonly TakenName[] {
  return [...code.matchAll(statement)].flatMap((match) => {
    const [all, onlyType, list = "", specifier = ""] = match;
    const end = match.index + all.length - 2;
    const from = posix.join(posix.dirname(path), text.slice(end - specifier.length, end));
    return list
      .replace(/[{}]/g, "")
      .split(",")
      .flatMap((item) => listed(item, { from, onlyType: onlyType !== undefined }));
  });
}

function listed(item: string, { from, onlyType }: Pick<TakenName, "from" | "onlyType">): readonly TakenName[] {
  const [, type, own, alias] = /^\s*(type\s+)?([\w$]+|\*)(?:\s+as\s+([\w$]+))?\s*$/.exec(item) ?? [];
  return own === undefined ? [] : [{ from, own, name: alias ?? own, onlyType: onlyType || type !== undefined }];
}
