/** Shared by `read`, `write` and `edit`: arguments, intents, tracking of what the model has read, and replacing a file. */

import type { Entry, Redaction } from "@pith/context";
import { isBlobHash, STATE_TYPE } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import type { BlobStore, FileOriginals, FileReadResult, PathOptions, ShrinkImage, WorkspaceFiles } from "../ports.ts";
import { type ChangeSide, type CheckRestorePermission, type FileChange, readFileDetails } from "../rewind-files.ts";
import { hashBytes } from "../text.ts";
import type { Intent } from "../tool.ts";
import { invalid, type ParsedArgument, readInteger, type ToolArguments, valid } from "./tool-io.ts";

/** The hash of each file as last shown or written in these entries, for `ReadTracker`. */
export function findSeenFiles(
  entries: readonly Entry[],
  resolve: (path: string) => string,
): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const entry of entries) {
    const { path, hash, after = hash, isStale } = readFileDetails(entry) ?? {};
    if (typeof path === "string" && isBlobHash(after) && isStale !== true) hashes.set(resolve(path), after);
    for (const file of readRereadFiles(entry)) hashes.set(resolve(file.path), file.hash);
  }
  return hashes;
}

/** The type of the custom message with the files that were read again after a compaction. */
export const REREAD_TYPE: string = `${STATE_TYPE}.files`;

/** A file that was read again after a compaction. */
export interface RereadFile {
  /** Absolute. */
  readonly path: string;
  /** The path as the model wrote it. */
  readonly name: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly hash: string;
  /** The size of its text in the context. */
  readonly tokens: number;
}

/** The files that an entry added to the context after a compaction; empty for any other entry. */
export function readRereadFiles(entry: Entry): readonly RereadFile[] {
  const { files } = readRereadDetails(entry);
  return Array.isArray(files) ? files.filter(isRereadFile) : [];
}

/** The size of such an entry in the context, as `/context` counts it. */
export function readRereadTokens(entry: Entry): number {
  const { tokens } = readRereadDetails(entry);
  return typeof tokens === "number" ? tokens : readRereadFiles(entry).reduce((sum, file) => sum + file.tokens, 0);
}

function readRereadDetails(entry: Entry): { readonly files?: unknown; readonly tokens?: unknown } {
  if (entry.type !== "custom_message" || entry.customType !== REREAD_TYPE) return {};
  return Object(Object(entry.details).pith);
}

// The details come from a file and are not trusted.
function isRereadFile(value: unknown): value is RereadFile {
  const { path, name, hash, tokens } = Object(value) as Readonly<Record<string, unknown>>;
  return [path, name].every((text) => typeof text === "string") && isBlobHash(hash) && typeof tokens === "number";
}

/** Options of reading files again after a compaction. */
export interface RereadOptions {
  readonly files: Pick<WorkspaceFiles, "read" | "resolve">;
  /** Records what the model sees, so that it can edit a file without reading it once more. */
  readonly readTracker: ReadTracker;
  /** Called with the absolute path of each file. Only the real path that it returns is opened. */
  readonly checkPermission: CheckRestorePermission;
}

export interface FileReplacement extends PathOptions {
  /** Absolute. */
  readonly path: string;
  /** Null if the file does not exist. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
  /** The model has not seen all of the old content, so it does not know the new one. */
  readonly isStale?: boolean;
}

export type ReplaceFileResult =
  | { readonly type: "replaced"; readonly change: FileChange }
  | { readonly type: "refused"; readonly message: string };

export interface ReplaceFileContext extends Pick<FileToolOptions, "files" | "originals" | "redaction"> {
  readonly readTracker: ReadTracker;
}

/** Stores the old and the new bytes before it writes, so that a move in the session tree can restore either. */
export async function replaceFile(
  { path, realPath, before, after, isStale = false }: FileReplacement,
  { files, originals, readTracker }: ReplaceFileContext,
): Promise<ReplaceFileResult> {
  const unsavedSides = originals ? await saveBoth({ before, after }, originals) : [];
  const writeResult = await files.write(path, after, { realPath });
  if (writeResult.type === "refused") return writeResult;
  const afterHash = isStale ? await hashBytes(after) : await readTracker.remember(path, after);
  const hashes = { before: before && (await hashBytes(before)), after: afterHash };
  const notes = { ...(unsavedSides.length > 0 && { unkept: unsavedSides }), ...(isStale && { isStale }) };
  return { type: "replaced", change: { path, ...hashes, ...notes } };
}

/** Returns the sides that could not be stored. */
async function saveBoth(
  { before, after }: Pick<FileReplacement, "before" | "after">,
  originals: FileOriginals,
): Promise<readonly ChangeSide[]> {
  const unsavedSides: ChangeSide[] = [];
  if (before && (await originals.keep(before)) === null) unsavedSides.push("before");
  if ((await originals.keep(after)) === null) unsavedSides.push("after");
  return unsavedSides;
}

/** Options of the file tools. */
export interface FileToolOptions {
  readonly files: WorkspaceFiles;
  /** Opens references such as `blob:1a2b3c4d`. */
  readonly blobs?: BlobStore;
  /** Opens `#412` and `entry:<id>`: any entry of the session, also before a compaction or on another branch. */
  readonly entries?: Pick<Store, "entry" | "entryByNumber">;
  /** The name of the skill whose text is at this absolute path; null for other files. */
  readonly skillAt?: (path: string) => string | null;
  /** Applied to the whole text before it is cut into pages. */
  readonly redaction?: Redaction | undefined;
  /** Stores replaced content, so that it can be restored. */
  readonly originals?: FileOriginals;
  /** Shrinks images that are too large for a provider; without it they are not shown. */
  readonly shrinkImage?: ShrinkImage | undefined;
}

export interface Reference {
  readonly type: "blob" | "entry" | "number";
  /** A blob's hash or the start of it, an entry's id, or an entry's number. */
  readonly name: string;
  /** As given, without the brackets of a citation. */
  readonly text: string;
}

/** Null for a path. A file with such a name can be opened as `./#412` or `./blob:…`. */
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
  return invalid("path is missing: give the path of a file");
}

/** Reads the path of a file to write. */
export function readWritablePath(args: ToolArguments): ParsedArgument<string> {
  const path = readPath(args);
  if (path.type === "invalid" || parseReference(path.value) === null) return path;
  return invalid(`${path.value} is a reference, which can be read but not written`);
}

export function readContent({ content }: ToolArguments): ParsedArgument<string> {
  if (typeof content !== "string") return invalid("content is missing: give the whole new content as text");
  return content.isWellFormed() ? valid(content) : invalid("content contains half a character (a lone surrogate)");
}

export interface LineRange {
  /** The first line, starting at 1. */
  readonly offset: number;
  readonly limit?: number;
}

export function readLineRange(args: ToolArguments): ParsedArgument<LineRange> {
  const offset = readInteger(args, "offset", 1);
  if (offset.type === "invalid") return offset;
  const limit = readInteger(args, "limit", 1);
  if (limit.type === "invalid") return limit;
  return valid({ offset: offset.value ?? 1, ...(limit.value !== null && { limit: limit.value }) });
}

/** Reads the replacements of an edit. A single one may be given next to the path. */
export function readReplacements(args: ToolArguments): ParsedArgument<readonly Replacement[]> {
  const parsedEdits = parseEdits(args.edits) ?? (args.oldText === undefined ? [] : [args]);
  const edits = Array.isArray(parsedEdits) ? parsedEdits : [parsedEdits];
  if (edits.length === 0) return invalid("edits is empty: give at least one { oldText, newText }");
  if (edits.length > MAX_EDITS)
    return invalid(`edits has ${edits.length} entries; the limit is ${MAX_EDITS} in one call`);
  const invalidIndex = edits.findIndex((edit) => !isReplacement(edit));
  if (invalidIndex >= 0) return invalid(`edits[${invalidIndex}] must be { oldText, newText }, both text`);
  return valid(edits.filter(isReplacement).map(({ oldText, newText }) => ({ oldText, newText })));
}

const MAX_EDITS = 100;

// Some models send lists as JSON in a string.
function parseEdits(edits: unknown): unknown {
  if (typeof edits !== "string") return edits;
  try {
    return JSON.parse(edits);
  } catch {
    // The caller reports it as an invalid edit.
    return edits;
  }
}

function isReplacement(edit: unknown): edit is Replacement {
  if (typeof edit !== "object" || edit === null || !("oldText" in edit) || !("newText" in edit)) return false;
  return typeof edit.oldText === "string" && typeof edit.newText === "string";
}

/** `nothing` if no file is opened: the arguments are invalid, or the path is a reference. */
export function readIntent(args: ToolArguments, files: WorkspaceFiles): Intent {
  const path = readPath(args);
  if (path.type === "invalid" || parseReference(path.value)) return { type: "nothing" };
  return { type: "look", paths: [files.resolve(path.value)] };
}

export function changeIntent(args: ToolArguments, files: WorkspaceFiles): Intent {
  const path = readWritablePath(args);
  return path.type === "invalid" ? { type: "nothing" } : { type: "change", paths: [files.resolve(path.value)] };
}

export type ReadState = "fresh" | "stale" | "unread";

/** Tracks the hash of each file as the model last saw or wrote it, and queues calls on the same file. */
export class ReadTracker {
  #hashes: Map<string, string>;
  readonly #queues = new Map<string, Promise<unknown>>();

  /** `hashes` are from earlier results: absolute paths with their hashes. */
  constructor(hashes: Iterable<readonly [path: string, hash: string]> = []) {
    this.#hashes = new Map(hashes);
  }

  /** Replaces the hashes after a move in the session tree: reads on another branch do not count. */
  reset(hashes: Iterable<readonly [path: string, hash: string]>): void {
    this.#hashes = new Map(hashes);
  }

  /** Records that the model saw these bytes, and returns their hash. */
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

  /** Runs operations on the same path one after the other, because the calls of one reply run in parallel. */
  async runInOrder<Outcome>(path: string, operation: () => Promise<Outcome>): Promise<Outcome> {
    const result = (this.#queues.get(path) ?? Promise.resolve()).then(operation);
    // The next operation runs even if this one fails.
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

/** Reads a file and passes it to `use`. Large files are read one at a time, to limit memory. */
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
/** Cannot be a path, because paths are absolute. */
const LARGE_FILES_KEY = "large files";
