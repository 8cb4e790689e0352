/** Defines permission requests and resolves their paths. Every tool call needs a permit, and nothing a model has read can grant one. */

import type { Intent, Leave } from "../tool.ts";

/** The permissions of an agent, as its loop sees them. */
export interface Permits {
  permit(act: Act, asking: { readonly signal: AbortSignal }): Promise<Permit>;
}

export interface Act {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null where the tool does not say what it is about to do. */
  readonly intent: Intent | null;
  /** It was begun before and nobody knows whether it was done: whoever permits it knows that it may be done twice. */
  readonly isAgain?: boolean;
}

export type Permit =
  | { readonly type: "permitted"; readonly leave?: Leave }
  /** `why` is told to the model. */
  | { readonly type: "refused"; readonly why: string };

/** A request with its paths resolved, so that later steps need no disk. */
export interface Sight {
  readonly act: Act;
  /** One for each path of its intent. */
  readonly reached: readonly Reached[];
}

/** Rules and lists of names are written with slashes, so both paths are. */
export interface Reached {
  readonly named: string;
  /** Absolute, with every link followed; null where nobody can tell. */
  readonly real: string | null;
  /** The same two as the system spells them, where it spells them otherwise: these are opened. */
  readonly spelled?: Omit<Reached, "spelled">;
}

/** `C:\a\b` as `C:/a/b`. On other systems a backslash is a letter of a name, and no absolute path begins like this. */
export function withSlashes(path: string): string {
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** The port to where a path leads: `..` and links resolved, also where nothing is yet; null where it cannot be told. */
export type RealPath = (path: string) => Promise<string | null>;

/** The folders and files that matter to permissions; all absolute. */
export interface Ground {
  /** The workspace. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders for files that nobody misses. */
  readonly temporary: readonly string[];
  /** Files with keys: no tool ever reads one. */
  readonly keys: readonly string[];
  /** Files that decide what is permitted, settings and remembered rules: no tool ever changes one. */
  readonly own: readonly string[];
  /** Whether commands run in a sandbox. */
  readonly hasSandbox?: boolean;
}

export async function sightOf(act: Act, realPath: RealPath): Promise<Sight> {
  const { intent } = act;
  const paths = intent?.type === "look" || intent?.type === "change" ? intent.paths : [];
  return { act, reached: await Promise.all(paths.map((path) => reach(path, realPath))) };
}

/** What permissions are made with: what the sandbox brings may be found out while everything else is made ready. */
export interface GroundParts extends Omit<Ground, "temporary" | "hasSandbox"> {
  readonly temporary: readonly string[] | Promise<readonly string[]>;
  readonly hasSandbox?: boolean | Promise<boolean>;
}

// Both names of each, because a rule or a path may bear either.
export async function realGround(ground: GroundParts, realPath: RealPath): Promise<Ground> {
  const real = async (path: string): Promise<string> => withSlashes((await realPath(path)) ?? path);
  const both = async (paths: readonly string[]): Promise<readonly string[]> => [
    ...new Set([...paths.map(withSlashes), ...(await Promise.all(paths.map(real)))]),
  ];
  const { root, home, temporary, keys, own, hasSandbox = false } = ground;
  return {
    root: await real(root),
    home: await real(home),
    temporary: await Promise.all((await temporary).map(real)),
    keys: await both(keys),
    own: await both(own),
    hasSandbox: await hasSandbox,
  };
}

async function reach(path: string, realPath: RealPath): Promise<Reached> {
  return reachedAt({ named: path, real: await realPath(path) });
}

export function reachedAt(spelled: Omit<Reached, "spelled">): Reached {
  const named = withSlashes(spelled.named);
  const real = spelled.real === null ? null : withSlashes(spelled.real);
  return named === spelled.named && real === spelled.real ? spelled : { named, real, spelled };
}
