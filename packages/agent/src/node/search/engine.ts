/** The two acts that a search is made of, and that ripgrep and a walk of our own both know. Neither follows links, or goes into `.git`. */

import type { Fits } from "../../globs/glob.ts";
import type { GrepHit, GrepWish, SearchAct } from "../../workspace.ts";

export interface Engine {
  /** The paths of all files in a folder that are not ignored, relative to it, as bytes: a name need not be text. */
  files(folder: SearchedFolder, act: Pick<SearchAct, "signal">): AsyncIterable<Buffer>;
  /** In the order of the tree. */
  grep(target: GrepTarget, act: SearchAct): AsyncIterable<Searched>;
}

export interface SearchedFolder {
  /** Where it lies, every link followed. */
  readonly real: string;
  /** The path to open it by: it leads there while somebody else may exchange the folders above. */
  readonly at: string;
}

export interface GrepTarget extends Omit<GrepWish, "path"> {
  readonly folder: SearchedFolder;
  /** The one file in it to search; none: all of them. */
  readonly file?: string;
  /** Which files of the folder to search, by their paths; none: all of them. */
  readonly fits?: Fits;
}

export type Searched =
  /** The hits of one file, and the lines around them; where they are more than asked for, only some of them. */
  | { readonly type: "file"; readonly hits: readonly GrepHit[] }
  /** Nothing comes after it. */
  | { readonly type: "refused"; readonly message: string };

/** In a folder, what is larger is not searched: it holds data. */
export const LARGEST_MEGABYTES = 64;

/** A name is bytes, and need not be text. */
export function pathIn(folder: string, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(folder.endsWith("/") ? folder : `${folder}/`), name]);
}

/** Bytes that are no text become marks. */
export function decoded(name: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
}

/** The same words from both, as far as they know why. */
export function badPattern(why: string): Searched {
  return { type: "refused", message: `pattern is no regular expression: ${why}; for plain text set literal` };
}

export const ACROSS_LINES = "it asks for a line break, and lines are searched one by one";
