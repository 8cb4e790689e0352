/** The floors inside `packages/context/src`, from the ground up: arrows run down only. */

import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { imports } from "./source/imports.ts";
import type { Source } from "./source/source.ts";

/** A room is a file, or a folder with a slash behind its name. */
const rooms: readonly (readonly string[])[] = [
  ["message", "runtime", "settings"],
  ["entry", "hooks", "model", "tokens/"],
  ["tree", "usage"],
  ["format/"],
  ["session/", "text/"],
  ["context/", "secrets/"],
  ["ledger/", "node/", "search/"],
  ["summary/"],
  ["compaction/"],
  ["branches/"],
  ["testing/"],
  ["index"],
];

const ground = "packages/context/src/";

export function floors({ sources }: House): readonly Fault[] {
  return sources
    .filter(({ path }) => path.startsWith(ground))
    .flatMap((source) => [...unplaced(source), ...upward(source)]);
}

function unplaced({ path }: Source): Fault[] {
  if (floor(path) >= 0) return [];
  return [{ path, line: 1, sentence: `${room(path)} has no floor; name its floor in scripts/house/floors.ts` }];
}

function upward({ path, text, code }: Source): Fault[] {
  const own = floor(path);
  if (own < 0) return [];
  return imports({ path, text, code }).flatMap(({ target, line }) => {
    if (target === null || floor(target) <= own) return [];
    const sentence = `${room(path)} imports ${room(target)}, a floor above; move what both need down`;
    return [{ path, line, sentence }];
  });
}

function floor(path: string): number {
  return path.startsWith(ground) ? rooms.findIndex((level) => level.includes(room(path))) : -1;
}

function room(path: string): string {
  const inside = path.slice(ground.length);
  const slash = inside.indexOf("/");
  return slash < 0 ? inside.replace(/\.ts$/, "") : inside.slice(0, slash + 1);
}
