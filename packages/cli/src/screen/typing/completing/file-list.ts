/** The files and folders of a folder, listed in the background and searched in small pieces, so that typing never waits for them. */

import type { WorkspaceSearch } from "@pith/agent";
import { fit } from "./fitting-paths.ts";

/** No more are listed; whoever has more writes more of the path. */
export const MOST_FILES = 100_000;
const MOST_FOUND = 50;
/** So many are looked at before keys are heard again. */
const PIECE = 2_000;
const FRESH_MS = 10_000;
const PATIENCE_MS = 20_000;
const GIVEN_UP_MS = 600_000;

interface Listed {
  readonly path: string;
  /** The same in small letters, to be searched. */
  readonly low: string;
}

export class FileList {
  readonly #search: () => Promise<Pick<WorkspaceSearch, "find">>;
  readonly #now: () => number;
  #listed: readonly Listed[] = [];
  #listing: Promise<void> | null = null;
  #at = Number.NEGATIVE_INFINITY;

  constructor(search: () => Promise<Pick<WorkspaceSearch, "find">>, now: () => number = () => performance.now()) {
    this.#search = search;
    this.#now = now;
  }

  /** The best first. What is known already answers at once; it is listed anew when it is old. */
  async find(wanted: string, signal: AbortSignal): Promise<readonly string[]> {
    const listing = this.refresh();
    // Who has typed on waits for nothing.
    if (this.#listed.length === 0) await Promise.race([listing, aborted(signal)]);
    return await best(this.#listed, wanted.toLowerCase(), signal);
  }

  /** Lists in the background, unless that was done a moment ago. */
  refresh(): Promise<void> {
    if (this.#now() - this.#at > FRESH_MS) this.#listing ??= this.#list().finally(() => (this.#listing = null));
    return this.#listing ?? Promise.resolve();
  }

  async #list(): Promise<void> {
    const files = await this.#files();
    const folders = new Set<string>();
    const listed: Listed[] = [];
    for (const [at, path] of (files ?? []).entries()) {
      if (at % PIECE === PIECE - 1) await pause();
      listed.push({ path, low: path.toLowerCase() });
      for (const folder of foldersOf(path, folders)) listed.push({ path: folder, low: folder.toLowerCase() });
    }
    if (files) this.#listed = listed;
    this.#at = this.#now() + (files ? 0 : GIVEN_UP_MS);
  }

  /** Null where there are so many that it takes too long, as in a home folder. */
  async #files(): Promise<readonly string[] | null> {
    const search = await this.#search();
    const act = { signal: AbortSignal.timeout(PATIENCE_MS), most: MOST_FILES };
    const found = await search.find({ folder: ".", glob: "**", isUnordered: true }, act).catch(() => null);
    return found?.type === "found" ? found.found : null;
  }
}

/** Those above it that are not known yet; they are then. */
function foldersOf(path: string, known: Set<string>): readonly string[] {
  const fresh: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end + 1);
    if (known.has(folder)) break;
    known.add(folder);
    fresh.push(folder);
  }
  return fresh;
}

async function best(listed: readonly Listed[], wanted: string, signal: AbortSignal): Promise<readonly string[]> {
  let found: { readonly path: string; readonly score: number }[] = [];
  for (let start = 0; start < listed.length; start += PIECE) {
    if (start > 0) await pause();
    if (signal.aborted) return [];
    for (const { path, low } of listed.slice(start, start + PIECE)) {
      const score = fit(low, wanted);
      if (score !== null) found.push({ path, score });
    }
    found = found
      .toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
      .slice(0, MOST_FOUND);
  }
  return found.map(({ path }) => path);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
