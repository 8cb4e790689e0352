/** Provides what `read`, `write` and `editFile` share: arguments, intents, what the model has read of each file, and replacing a file. */

import type { Entry, Redaction } from "@pith/context";
import { isBlobHash } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import type { BlobStore, FileOriginals, FileReadResult, PathOptions, WorkspaceFiles } from "../ports.ts";
import { type ChangeSide, type FileChange, readFileDetails } from "../session/rewind-files.ts";
import { hashBytes } from "../text.ts";
import type { Intent } from "../tool.ts";
import { invalid, type ParsedArgument, readInteger, type ToolArguments, valid } from "./arguments.ts";

/** Each file as it was last shown or written, for `new Reads(…)` and `relearn`. What was covered by a compaction is not among it. */
export function findSeenFiles(
  entries: readonly Entry[],
  resolve: (path: string) => string,
): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const entry of entries) {
    const { path, hash, after = hash } = readFileDetails(entry) ?? {};
    if (typeof path === "string" && isBlobHash(after)) hashes.set(resolve(path), after);
  }
  return hashes;
}

export interface FileReplacement extends PathOptions {
  /** Absolute. */
  readonly path: string;
  /** Null where there is no file. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

export type ReplaceFileResult =
  | { readonly type: "replaced"; readonly change: FileChange }
  | { readonly type: "refused"; readonly message: string };

export interface ReplaceFileContext extends Pick<FileToolOptions, "files" | "originals" | "redaction"> {
  readonly readTracker: ReadTracker;
}

/** Keeps the old and the new bytes before it writes, so that a move in the session can restore either. */
export async function replaceFile(
  { path, realPath, before, after }: FileReplacement,
  { files, originals, readTracker }: ReplaceFileContext,
): Promise<ReplaceFileResult> {
  const unsavedSides = originals ? await saveBoth({ before, after }, originals) : [];
  const writeResult = await files.write(path, after, { realPath });
  if (writeResult.type === "refused") return writeResult;
  const hashes = { before: before && (await hashBytes(before)), after: await readTracker.remember(path, after) };
  return { type: "replaced", change: { path, ...hashes, ...(unsavedSides.length > 0 && { unkept: unsavedSides }) } };
}

/** Which of them could not be kept. */
async function saveBoth(
  { before, after }: Pick<FileReplacement, "before" | "after">,
  originals: FileOriginals,
): Promise<readonly ChangeSide[]> {
  const unsavedSides: ChangeSide[] = [];
  if (before && (await originals.keep(before)) === null) unsavedSides.push("before");
  if ((await originals.keep(after)) === null) unsavedSides.push("after");
  return unsavedSides;
}

export interface FileToolOptions {
  readonly files: WorkspaceFiles;
  /** What `blob:1a2b3c4d` opens. */
  readonly blobs?: BlobStore;
  /** What `#412` and `entry:<id>` open: any entry of the session, also one before a compaction or on another branch. */
  readonly entries?: Pick<Store, "entry" | "entryByNumber">;
  /** The name of the skill whose text lies at an absolute path; null for every other file. */
  readonly skillAt?: (path: string) => string | null;
  /** Texts are shown as they come out of it, whole before they are cut into pages. */
  readonly redaction?: Redaction | undefined;
  /** Without them what is replaced cannot be put back. */
  readonly originals?: FileOriginals;
}

export interface Reference {
  readonly type: "blob" | "entry" | "number";
  /** The hash of a blob or its beginning, the id of an entry, the number of an entry. */
  readonly name: string;
  /** As it was written, without the brackets of a citation. */
  readonly text: string;
}

/** Null for a path; a file with such a name is meant by `./#412` or `./blob:…`. */
export function parseReference(path: string): Reference | null {
  const text = path.trim().replace(/^\[(#\d+)\]$/, "$1");
  const [, number] = /^#(\d{1,15})$/.exec(text) ?? [];
  if (number !== undefined) return { type: "number", name: number, text };
  const [, type, name] = /^(blob|entry):(.*)$/s.exec(text) ?? [];
  if (name === undefined) return null;
  return { type: type === "blob" ? "blob" : "entry", name, text };
}

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

export function readPath({ path }: ToolArguments): ParsedArgument<string> {
  if (typeof path === "string" && path.trim() !== "") return valid(path);
  return invalid("path is missing: say which file");
}

/** The path of something that is to be written. */
export function readWritablePath(args: ToolArguments): ParsedArgument<string> {
  const path = readPath(args);
  if (path.type === "wrong" || parseReference(path.value) === null) return path;
  return invalid(`${path.value} is a reference: it can be read, not written`);
}

export function readContent({ content }: ToolArguments): ParsedArgument<string> {
  if (typeof content !== "string") return invalid("content is missing: say what the file shall have, as text");
  return content.isWellFormed() ? valid(content) : invalid("content has half a character (a lone surrogate)");
}

export interface LineRange {
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit?: number;
}

export function readLineRange(args: ToolArguments): ParsedArgument<LineRange> {
  const offset = readInteger(args, "offset", 1);
  if (offset.type === "wrong") return offset;
  const limit = readInteger(args, "limit", 1);
  if (limit.type === "wrong") return limit;
  return valid({ offset: offset.value ?? 1, ...(limit.value !== null && { limit: limit.value }) });
}

/** The replacements of an edit; a single one may stand beside the path. */
export function readReplacements(args: ToolArguments): ParsedArgument<readonly Replacement[]> {
  const parsedEdits = parseEdits(args.edits) ?? (args.oldText === undefined ? [] : [args]);
  const edits = Array.isArray(parsedEdits) ? parsedEdits : [parsedEdits];
  if (edits.length === 0) return invalid("edits is empty: give at least one { oldText, newText }");
  if (edits.length > MAX_EDITS) return invalid(`edits has ${edits.length}: give ${MAX_EDITS} at most in one call`);
  const invalidIndex = edits.findIndex((edit) => !isReplacement(edit));
  if (invalidIndex >= 0) return invalid(`edits[${invalidIndex}] must be { oldText, newText }, both text`);
  return valid(edits.filter(isReplacement).map(({ oldText, newText }) => ({ oldText, newText })));
}

const MAX_EDITS = 100;

// Models send lists as JSON inside a string.
function parseEdits(edits: unknown): unknown {
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
export function readIntent(args: ToolArguments, files: WorkspaceFiles): Intent {
  const path = readPath(args);
  if (path.type === "wrong" || parseReference(path.value)) return { type: "nothing" };
  return { type: "look", paths: [files.resolve(path.value)] };
}

export function changeIntent(args: ToolArguments, files: WorkspaceFiles): Intent {
  const path = readWritablePath(args);
  return path.type === "wrong" ? { type: "nothing" } : { type: "change", paths: [files.resolve(path.value)] };
}

export type ReadState = "fresh" | "stale" | "unread";

/** The hash of each file as the model last saw or wrote it; also queues calls on the same file. */
export class ReadTracker {
  #hashes: Map<string, string>;
  readonly #queues = new Map<string, Promise<unknown>>();

  /** With what is known from before, as the details of earlier results have it: absolute paths and their hashes. */
  constructor(hashes: Iterable<readonly [path: string, hash: string]> = []) {
    this.#hashes = new Map(hashes);
  }

  /** For a model that stands elsewhere now: what it saw on a branch that was left, it has not seen here. */
  reset(hashes: Iterable<readonly [path: string, hash: string]>): void {
    this.#hashes = new Map(hashes);
  }

  /** Keeps that the model saw these bytes; their hash. */
  async remember(path: string, bytes: Uint8Array): Promise<string> {
    const hash = await hashBytes(bytes);
    this.#hashes.set(path, hash);
    return hash;
  }

  /** Whether the bytes at a path are those the model last saw. */
  async readState(path: string, bytes: Uint8Array): Promise<ReadState> {
    const lastHash = this.#hashes.get(path);
    if (lastHash === undefined) return "unread";
    return lastHash === (await hashBytes(bytes)) ? "fresh" : "stale";
  }

  /** Runs an act when all earlier ones at the same path have ended: the calls of one reply run at once. */
  async runInOrder<Outcome>(path: string, operation: () => Promise<Outcome>): Promise<Outcome> {
    const result = (this.#queues.get(path) ?? Promise.resolve()).then(operation);
    // Whoever comes next waits for the end, however it ends.
    const settled = result.catch(() => undefined);
    this.#queues.set(path, settled);
    try {
      return await result;
    } finally {
      if (this.#queues.get(path) === settled) this.#queues.delete(path);
    }
  }
}

export interface ReadBytesOptions extends PathOptions {
  /** Absolute. */
  readonly at: string;
  readonly signal: AbortSignal;
}

export interface ReadBytesContext extends Pick<FileToolOptions, "files"> {
  readonly readTracker: ReadTracker;
}

/** Large files are used one at a time: the calls of a reply run at once and share the memory. */
export async function withFileBytes<Outcome>(
  { at, ...options }: ReadBytesOptions,
  { files, readTracker }: ReadBytesContext,
  use: (result: FileReadResult) => Promise<Outcome>,
): Promise<Outcome> {
  const result = await files.read(at, { ...options, maxBytes: LARGE_FILE_BYTES });
  if (result.type !== "too-large") return await use(result);
  return await readTracker.runInOrder(LARGE_FILES_KEY, async () => use(await files.read(at, options)));
}

const LARGE_FILE_BYTES = 4 * 1024 * 1024;
/** No path: those are absolute. */
const LARGE_FILES_KEY = "large files";
