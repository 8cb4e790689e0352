/** Lists and searches paths for completion, in the background and in small pieces, so that typing never waits. */

import type { WorkspaceSearch } from "@pith/agent";

/** Higher is better: letters in order, near each other and late in the path. Null where the letters are not all there. */
export function fit(path: string, wanted: string): number | null {
  if (wanted === "") return -path.length / 100;
  const name = path.lastIndexOf("/", path.length - 2) + 1;
  const whole = path.lastIndexOf(wanted);
  // A folder is meant less often than a file in one like it.
  const rank = path.length + (path.endsWith("/") ? 60 : 0);
  if (whole >= 0) return 1_000 + (whole >= name ? 500 : 0) + (startsWord(path, whole) ? 200 : 0) - rank;
  return scattered(path, wanted, name);
}

function scattered(path: string, wanted: string, name: number): number | null {
  // In the name alone where that has them all, so that `ts` means no folder far above.
  const start = holds(path, wanted, name) ? name : 0;
  let score = start === name ? 300 : 0;
  let last = start - 1;
  for (const letter of wanted) {
    const at = path.indexOf(letter, last + 1);
    if (at < 0) return null;
    score += at === last + 1 ? 20 : 0;
    score += startsWord(path, at) ? 15 : 0;
    score -= Math.min(10, at - last - 1);
    last = at;
  }
  return score - path.length / 10;
}

function holds(path: string, wanted: string, from: number): boolean {
  let at = from - 1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function startsWord(path: string, at: number): boolean {
  return at === 0 || "/-_. ".includes(path[at - 1] ?? "");
}

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
    const act = { signal: AbortSignal.timeout(PATIENCE_MS), maxResults: MOST_FILES };
    const found = await search.find({ folder: ".", glob: "**", isUnordered: true }, act).catch(() => null);
    return found?.type === "found" ? found.items : null;
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

/** The folder of a path that begins with `~/`, `/`, `./` or `../`; null where the workspace's own files are meant. */
export function outsideFolder(wanted: string): string | null {
  if (!/^(?:~\/|\/|\.\.?\/)/.test(wanted)) return null;
  return wanted.slice(0, wanted.lastIndexOf("/") + 1);
}

export async function namesIn(
  folder: string,
  wanted: string,
  { search, signal }: { readonly search: Pick<WorkspaceSearch, "list">; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found = await search.list(folder, { signal, maxResults: MOST });
  if (found.type !== "found") return [];
  const begun = wanted.slice(folder.length).toLowerCase();
  const names = found.items.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(begun));
  return names.filter((name) => begun.startsWith(".") || !name.startsWith(".")).map((name) => `${folder}${name}`);
}

const MOST = 1_000;
