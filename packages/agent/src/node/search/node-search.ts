/** Searching the files of this machine: with ripgrep where there is one, else by a walk of our own that finds the same. */

import { homedir } from "node:os";
import { basename, dirname } from "node:path";
import { type Fits, fitting } from "../../globs/glob.ts";
import type { FindWish, Found, GrepHit, GrepWish, SearchAct, WorkspaceSearch } from "../../workspace.ts";
import { type Place, placeOf } from "../files/place.ts";
import { collected } from "./collected.ts";
import { type Engine, type GrepTarget, LARGEST_MEGABYTES, type SearchedFolder } from "./engine.ts";
import { listNames } from "./list-names.ts";
import { filesAsTheyCome, newestFiles } from "./newest-files.ts";
import { ripgrepEngine } from "./ripgrep/ripgrep-engine.ts";
import { usableRipgrep } from "./ripgrep/usable-ripgrep.ts";
import { withFolder, withTarget } from "./target.ts";
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
  const placed = (path: string, { real }: SearchAct): Place => ({ ...placeOf(path, { root, home }), real });
  let engine: Promise<Engine> | null = null;
  const ready = (): Promise<Engine> => {
    engine ??= engineOf(ripgrep, root);
    return engine;
  };
  return {
    list: (path, act) => listNames(placed(path, act), act),
    find: async (wish, act) => await find({ wish, place: placed(wish.folder, act), ready }, act),
    grep: async (wish, act) => await grep({ wish, place: placed(wish.path, act), ready }, act),
  };
}

async function engineOf(ripgrep: string | null | undefined, root: string): Promise<Engine> {
  const program = ripgrep === null ? null : await usableRipgrep(ripgrep, { folders: process.env.PATH ?? "", root });
  return program === null ? walkingEngine : ripgrepEngine(program);
}

interface Searching<Wish> {
  readonly wish: Wish;
  readonly place: Place;
  readonly ready: () => Promise<Engine>;
}

async function find({ wish, place, ready }: Searching<FindWish>, act: SearchAct): Promise<Found<string>> {
  const fits = fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  const files = wish.isUnordered ? filesAsTheyCome : newestFiles;
  return await withFolder(place, async (folder) =>
    files({ folder, fits: openAlone(folder, { fits, ...act }), engine: await ready() }, act),
  );
}

async function grep({ wish, place, ready }: Searching<GrepWish>, act: SearchAct): Promise<Found<GrepHit>> {
  const fits = wish.glob === undefined ? () => true : fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  return await withTarget(place, async (target) => {
    // Ripgrep holds a whole line in memory, and such a file may be one.
    const isLarge = target.type === "file" && target.bytes > LARGEST_MEGABYTES * 1024 * 1024;
    const engine = isLarge ? walkingEngine : await ready();
    // What a path names is searched, whatever its name.
    const where =
      target.type === "file" ? fileAt(target) : { folder: target, fits: openAlone(target, { fits, ...act }) };
    const hits = await collected(engine.grep({ ...wish, ...where }, act), { ...act, around: wish.around ?? 0 });
    return target.type === "file" && hits.type === "found" ? named(hits, basename(place.path)) : hits;
  });
}

function fileAt({ real }: SearchedFolder): Pick<GrepTarget, "folder" | "file"> {
  const folder = dirname(real);
  return { folder: { real: folder, at: folder }, file: basename(real) };
}

/** By the name it was asked for, which may be that of a link. */
function named(hits: Extract<Found<GrepHit>, { type: "found" }>, path: string): Found<GrepHit> {
  return { ...hits, found: hits.found.map((hit) => ({ ...hit, path })) };
}

interface Passing extends Pick<SearchAct, "isClosed"> {
  readonly fits: Fits;
}

/** What may not be looked at by itself is not come upon either. */
function openAlone({ real }: SearchedFolder, { fits, isClosed }: Passing): Fits {
  if (!isClosed) return fits;
  return (path) => fits(path) && !isClosed(real.endsWith("/") ? real + path : `${real}/${path}`);
}

const tooManyBraces = { type: "refused", message: "the glob stands for too many: use fewer braces" } as const;
