/** Searching the files of this machine: with ripgrep where there is one, else by a walk of our own that finds the same. */

import { homedir } from "node:os";
import { basename, dirname } from "node:path";
import type { FindWish, Found, GrepHit, GrepWish, SearchAct, WorkspaceSearch } from "../../workspace.ts";
import { type Place, placeOf } from "../files/place.ts";
import { collected } from "./collected.ts";
import { type Engine, type GrepTarget, LARGEST_MEGABYTES } from "./engine.ts";
import { fitting } from "./globs/glob.ts";
import { listNames } from "./list-names.ts";
import { newestFiles } from "./newest-files.ts";
import { ripgrepEngine } from "./ripgrep/ripgrep-engine.ts";
import { usableRipgrep } from "./ripgrep/usable-ripgrep.ts";
import { folderAt, targetOf } from "./target.ts";
import { walkingEngine } from "./walking/walking-engine.ts";

export interface NodeSearchParts {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's own folder unless said. */
  readonly home?: string;
  /** Where ripgrep is; unless said, where `PATH` leads to. Null: it is not used. */
  readonly ripgrep?: string | null;
}

/** Searches under and around a folder of this machine. */
export function nodeSearch({ root, home = homedir(), ripgrep }: NodeSearchParts): WorkspaceSearch {
  const placed = (path: string): Place => placeOf(path, { root, home });
  let engine: Promise<Engine> | null = null;
  const ready = (): Promise<Engine> => {
    engine ??= engineOf(ripgrep);
    return engine;
  };
  return {
    list: (path, act) => listNames(placed(path), act),
    find: async (wish, act) => await find({ wish, place: placed(wish.folder), ready }, act),
    grep: async (wish, act) => await grep({ wish, place: placed(wish.path), ready }, act),
  };
}

async function engineOf(ripgrep: string | null | undefined): Promise<Engine> {
  const program = ripgrep === null ? null : await usableRipgrep(ripgrep);
  return program === null ? walkingEngine : ripgrepEngine(program);
}

interface Ground<Wish> {
  readonly wish: Wish;
  readonly place: Place;
  readonly ready: () => Promise<Engine>;
}

async function find({ wish, place, ready }: Ground<FindWish>, act: SearchAct): Promise<Found<string>> {
  const fits = fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  const folder = await folderAt(place);
  if (folder.type !== "folder") return folder;
  return await newestFiles({ folder: place.path, fits, engine: await ready() }, act);
}

async function grep({ wish, place, ready }: Ground<GrepWish>, act: SearchAct): Promise<Found<GrepHit>> {
  const fits = wish.glob === undefined ? undefined : fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  const target = await targetOf(place);
  if (target.type !== "file" && target.type !== "folder") return target;
  // Ripgrep holds a whole line in memory, and such a file may be one.
  const isLarge = target.type === "file" && target.bytes > LARGEST_MEGABYTES * 1024 * 1024;
  const engine = isLarge ? walkingEngine : await ready();
  // What a path names is searched, whatever its name.
  const where = target.type === "file" ? fileAt(place) : { folder: place.path, ...(fits && { fits }) };
  return await collected(engine.grep({ ...wish, ...where }, act), { ...act, around: wish.around ?? 0 });
}

function fileAt({ path }: Place): Pick<GrepTarget, "folder" | "file"> {
  return { folder: dirname(path), file: basename(path) };
}

const tooManyBraces = { type: "refused", message: "the glob stands for too many: use fewer braces" } as const;
