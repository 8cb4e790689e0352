/** Provides what `read`, `write` and `edit` share: arguments, intents, what the model has read of each file, and replacing a file. */

import type { Entry, Redaction } from "@pith/context";
import { isBlobHash } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import type { Blobs, FileRead, Held, WorkspaceFiles } from "../ports.ts";
import { type FileChange, type Originals, type Side, toldOfFile } from "../session/rewind.ts";
import { hashOf } from "../text.ts";
import type { Intent } from "../tool.ts";
import { type Argument, type Asked, right, wholeNumberOf, wrong } from "./arguments.ts";

/** Each file as it was last shown or written, for `new Reads(…)` and `relearn`. What was covered by a compaction is not among it. */
export function knownFiles(entries: readonly Entry[], resolve: (path: string) => string): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const entry of entries) {
    const { path, hash, after = hash } = toldOfFile(entry) ?? {};
    if (typeof path === "string" && isBlobHash(after)) known.set(resolve(path), after);
  }
  return known;
}

export interface Replacing extends Held {
  /** Absolute. */
  readonly path: string;
  /** Null where there is no file. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

export type FileReplaced =
  | { readonly type: "replaced"; readonly change: FileChange }
  | { readonly type: "refused"; readonly message: string };

export interface ReplaceParts extends Pick<FileParts, "files" | "originals" | "redaction"> {
  readonly reads: Reads;
}

/** Keeps the old and the new bytes before it writes, so that a move in the session can restore either. */
export async function replaceFile(
  { path, real, before, after }: Replacing,
  { files, originals, reads }: ReplaceParts,
): Promise<FileReplaced> {
  const unkept = originals ? await keepBoth({ before, after }, originals) : [];
  const written = await files.write(path, after, { real });
  if (written.type === "refused") return written;
  const hashes = { before: before && (await hashOf(before)), after: await reads.remember(path, after) };
  return { type: "replaced", change: { path, ...hashes, ...(unkept.length > 0 && { unkept }) } };
}

/** Which of them could not be kept. */
async function keepBoth(
  { before, after }: Pick<Replacing, "before" | "after">,
  originals: Originals,
): Promise<readonly Side[]> {
  const unkept: Side[] = [];
  if (before && (await originals.keep(before)) === null) unkept.push("before");
  if ((await originals.keep(after)) === null) unkept.push("after");
  return unkept;
}

export interface FileParts {
  readonly files: WorkspaceFiles;
  /** What `blob:1a2b3c4d` opens. */
  readonly blobs?: Blobs;
  /** What `#412` and `entry:<id>` open: any entry of the session, also one before a compaction or on another branch. */
  readonly entries?: Pick<Store, "entry" | "entryByNumber">;
  /** The name of the skill whose text lies at an absolute path; null for every other file. */
  readonly skillAt?: (path: string) => string | null;
  /** Texts are shown as they come out of it, whole before they are cut into pages. */
  readonly redaction?: Redaction | undefined;
  /** Without them what is replaced cannot be put back. */
  readonly originals?: Originals;
}

export interface Handle {
  readonly type: "blob" | "entry" | "number";
  /** The hash of a blob or its beginning, the id of an entry, the number of an entry. */
  readonly name: string;
  /** As it was written, without the brackets of a citation. */
  readonly shown: string;
}

/** Null for a path; a file with such a name is meant by `./#412` or `./blob:…`. */
export function asHandle(path: string): Handle | null {
  const shown = path.trim().replace(/^\[(#\d+)\]$/, "$1");
  const [, number] = /^#(\d{1,15})$/.exec(shown) ?? [];
  if (number !== undefined) return { type: "number", name: number, shown };
  const [, type, name] = /^(blob|entry):(.*)$/s.exec(shown) ?? [];
  if (name === undefined) return null;
  return { type: type === "blob" ? "blob" : "entry", name, shown };
}

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

export function pathOf({ path }: Asked): Argument<string> {
  if (typeof path === "string" && path.trim() !== "") return right(path);
  return wrong("path is missing: say which file");
}

/** The path of something that is to be written. */
export function writablePathOf(asked: Asked): Argument<string> {
  const path = pathOf(asked);
  if (path.type === "wrong" || asHandle(path.value) === null) return path;
  return wrong(`${path.value} is a reference: it can be read, not written`);
}

export function contentOf({ content }: Asked): Argument<string> {
  if (typeof content !== "string") return wrong("content is missing: say what the file shall have, as text");
  return content.isWellFormed() ? right(content) : wrong("content has half a character (a lone surrogate)");
}

export interface PageLines {
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit?: number;
}

export function pageLines(asked: Asked): Argument<PageLines> {
  const offset = wholeNumberOf(asked, "offset", 1);
  if (offset.type === "wrong") return offset;
  const limit = wholeNumberOf(asked, "limit", 1);
  if (limit.type === "wrong") return limit;
  return right({ offset: offset.value ?? 1, ...(limit.value !== null && { limit: limit.value }) });
}

/** The replacements of an edit; a single one may stand beside the path. */
export function replacementsOf(asked: Asked): Argument<readonly Replacement[]> {
  const listed = parsed(asked.edits) ?? (asked.oldText === undefined ? [] : [asked]);
  const edits = Array.isArray(listed) ? listed : [listed];
  if (edits.length === 0) return wrong("edits is empty: give at least one { oldText, newText }");
  if (edits.length > MOST_EDITS) return wrong(`edits has ${edits.length}: give ${MOST_EDITS} at most in one call`);
  const bad = edits.findIndex((edit) => !isReplacement(edit));
  if (bad >= 0) return wrong(`edits[${bad}] must be { oldText, newText }, both text`);
  return right(edits.filter(isReplacement).map(({ oldText, newText }) => ({ oldText, newText })));
}

const MOST_EDITS = 100;

// Models send lists as JSON inside a string.
function parsed(edits: unknown): unknown {
  if (typeof edits !== "string") return edits;
  try {
    return JSON.parse(edits);
  } catch {
    // Whatever it is, it is no replacement, and is named as such.
    return edits;
  }
}

function isReplacement(edit: unknown): edit is Replacement {
  if (typeof edit !== "object" || edit === null || !("oldText" in edit) || !("newText" in edit)) return false;
  return typeof edit.oldText === "string" && typeof edit.newText === "string";
}

/** `nothing` where no file is opened: the arguments are wrong, or the path is a handle. */
export function lookIntent(asked: Asked, files: WorkspaceFiles): Intent {
  const path = pathOf(asked);
  if (path.type === "wrong" || asHandle(path.value)) return { type: "nothing" };
  return { type: "look", paths: [files.resolve(path.value)] };
}

export function changeIntent(asked: Asked, files: WorkspaceFiles): Intent {
  const path = writablePathOf(asked);
  return path.type === "wrong" ? { type: "nothing" } : { type: "change", paths: [files.resolve(path.value)] };
}

export type Knowledge = "fresh" | "stale" | "unread";

/** The hash of each file as the model last saw or wrote it; also queues calls on the same file. */
export class Reads {
  #hashes: Map<string, string>;
  readonly #turns = new Map<string, Promise<unknown>>();

  /** With what is known from before, as the details of earlier results have it: absolute paths and their hashes. */
  constructor(known: Iterable<readonly [path: string, hash: string]> = []) {
    this.#hashes = new Map(known);
  }

  /** For a model that stands elsewhere now: what it saw on a branch that was left, it has not seen here. */
  relearn(known: Iterable<readonly [path: string, hash: string]>): void {
    this.#hashes = new Map(known);
  }

  /** Keeps that the model saw these bytes; their hash. */
  async remember(path: string, bytes: Uint8Array): Promise<string> {
    const hash = await hashOf(bytes);
    this.#hashes.set(path, hash);
    return hash;
  }

  /** Whether the bytes at a path are those the model last saw. */
  async knowledge(path: string, bytes: Uint8Array): Promise<Knowledge> {
    const known = this.#hashes.get(path);
    if (known === undefined) return "unread";
    return known === (await hashOf(bytes)) ? "fresh" : "stale";
  }

  /** Runs an act when all earlier ones at the same path have ended: the calls of one reply run at once. */
  async inTurn<Outcome>(path: string, act: () => Promise<Outcome>): Promise<Outcome> {
    const mine = (this.#turns.get(path) ?? Promise.resolve()).then(act);
    // Whoever comes next waits for the end, however it ends.
    const ended = mine.catch(() => undefined);
    this.#turns.set(path, ended);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(path) === ended) this.#turns.delete(path);
    }
  }
}

export interface BytesWish extends Held {
  /** Absolute. */
  readonly at: string;
  readonly signal: AbortSignal;
}

export interface BytesParts extends Pick<FileParts, "files"> {
  readonly reads: Reads;
}

/** Large files are used one at a time: the calls of a reply run at once and share the memory. */
export async function useBytes<Outcome>(
  { at, ...act }: BytesWish,
  { files, reads }: BytesParts,
  use: (found: FileRead) => Promise<Outcome>,
): Promise<Outcome> {
  const found = await files.read(at, { ...act, mostBytes: LARGE });
  if (found.type !== "too-large") return await use(found);
  return await reads.inTurn(LARGE_FILES, async () => use(await files.read(at, act)));
}

const LARGE = 4 * 1024 * 1024;
/** No path: those are absolute. */
const LARGE_FILES = "large files";
