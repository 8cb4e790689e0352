/** Forks, clones and exports sessions to new files. The source may be open in any process, also for writing. */

import { resolve } from "node:path";
import { findBlobDigits, MIN_BLOB_DIGITS } from "../../citations.ts";
import type { Entry, Header } from "../../entry.ts";
import { setJsonMembers } from "../../format/edit-json-text.ts";
import { parseEntry, serializeEntry } from "../../format/entry-line.ts";
import { withTrailer } from "../../format/line-checksum.ts";
import { addHeaderMark, CURRENT_VERSION } from "../../format/session-file.ts";
import type { JsonObject } from "../../json.ts";
import type { Runtime } from "../../runtime.ts";
import { type BlobInfo, collectBlobs, inlineBlobs, isImageBlob } from "../../session/blobs.ts";
import { forkBranch } from "../../session/fork.ts";
import { type Redaction, Session } from "../../session/session.ts";
import { blobHashes, copyBlobs, type ReadBlobResult, readBlobSync } from "../blobs.ts";
import { catchDiskErrors, type UnavailableResult } from "../files.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createFileAtomically } from "../jsonl/rewrite.ts";
import {
  addEntryNumbers,
  patchEntryText,
  readLineSource,
  redactEntryText,
  rewriteLines,
  type SourceLine,
  writeCopy,
} from "./copy-lines.ts";
import { applyDefaults, prepareSessionFile, type SessionFileOptions, sessionCwd } from "./paths.ts";
import { closeStore, type OpenFailure, type SessionTarget } from "./sessions.ts";

export interface ForkSessionOptions extends SessionFileOptions {
  /** The last entry of the branch to copy; default: the last entry of the file. Null gives an empty session. */
  readonly leaf?: string | null;
  /** The working directory of the new session; default: that of the source. */
  readonly cwd?: string;
  readonly id?: string;
  /** Added to the name of the source. Default: `fork`, which gives "name (fork)". */
  readonly nameSuffix?: "fork" | "copy";
}

export type ForkResult =
  | {
      readonly type: "forked";
      readonly path: string;
      readonly id: string;
      /** Hashes of blobs that the branch refers to and the source no longer has. */
      readonly missing: readonly string[];
    }
  | { readonly type: "no-entry"; readonly why: string }
  | OpenFailure;

/** Copies one branch to a new session. An open source is only read and stays open; a `Session` is forked at its own leaf. */
export async function forkSession(source: SessionTarget, options: ForkSessionOptions = {}): Promise<ForkResult> {
  if (source instanceof Session) return forkSession(requireFileStore(source), { leaf: source.leaf, ...options });
  if (source instanceof JsonlStore) return forkStore(source, options);
  const openResult = await openStore(source, { ...applyDefaults(options), mode: "follower" });
  if (openResult.type !== "opened") return openResult;
  try {
    return await forkStore(openResult.store, options);
  } finally {
    await closeStore(openResult.store);
  }
}

function requireFileStore({ store }: Session): JsonlStore {
  if (store instanceof JsonlStore) return store;
  throw new Error("this session is not stored in a file; call session.fork() to get its bytes");
}

async function forkStore(
  store: JsonlStore,
  { leaf, cwd, id, nameSuffix = "fork", ...options }: ForkSessionOptions,
): Promise<ForkResult> {
  const config = applyDefaults(options);
  const { files } = config;
  const sourcePath = resolve(store.path);
  return catchDiskErrors<ForkResult>(`${sourcePath} cannot be forked`, async () => {
    const leafId = leaf === undefined ? await store.leaf() : leaf;
    if (leafId !== null && !(await store.entry(leafId)))
      return { type: "no-entry", why: `${sourcePath} has no entry ${leafId}; copy the id from the tree` };
    const newCwd = resolve(cwd ?? sessionCwd(sourcePath, store.header, files));
    const target = prepareSessionFile(newCwd, { ...config, id });
    if (target.type !== "free") return target;
    // Blobs first, so that they exist as soon as the new session does.
    const hashes = collectBlobHashes(await store.branchEntries(leafId), blobHashes(sourcePath, files));
    const copyResult = await copyBlobs(sourcePath, target.path, { hashes, files });
    if (copyResult.type !== "copied") return copyResult;
    const forkBytes = await forkBranch(store, { leaf: leafId, cwd: newCwd, parentSession: sourcePath }, target.runtime);
    const nameLineBytes = createForkNameLine(
      forkBytes,
      { name: await store.name(), nameSuffix, lastNumber: await store.lastNumber() },
      target.runtime,
    );
    createFileAtomically(target.path, Buffer.concat([forkBytes, nameLineBytes]), files);
    return { type: "forked", path: target.path, id: target.runtime.sessionId(), missing: copyResult.missing };
  });
}

/** The hashes of all blobs that entries refer to: by a blob block, whether the blob is stored or not, and by a reference in any text. */
function collectBlobHashes(entries: readonly Entry[], storedHashes: readonly string[]): readonly string[] {
  const toPrefix = (digits: string): string => digits.slice(0, MIN_BLOB_DIGITS);
  const citedPrefixes = new Set(entries.flatMap((entry) => findBlobDigits(JSON.stringify(entry)).map(toPrefix)));
  const blockHashes = entries.flatMap(collectBlobs).map(({ hash }) => hash);
  return [...blockHashes, ...storedHashes.filter((hash) => citedPrefixes.has(toPrefix(hash)))];
}

interface ForkName extends Required<Pick<ForkSessionOptions, "nameSuffix">> {
  /** The name of the source. */
  readonly name: string | undefined;
}

function createForkNameLine(
  forkBytes: Uint8Array,
  { name, nameSuffix, lastNumber }: ForkName & { readonly lastNumber: number },
  { entryId, now, checksum }: Runtime,
): Uint8Array {
  if (name === undefined) return Buffer.alloc(0);
  const last = parseLastEntry(forkBytes);
  const entry: Entry = {
    type: "session_info",
    id: entryId(),
    parentId: last?.id ?? null,
    timestamp: new Date(now()).toISOString(),
    number: Math.max(lastNumber, last?.number ?? 0) + 1,
    name: addNameSuffix(name, nameSuffix),
  };
  return Buffer.from(`${withTrailer(serializeEntry(entry), {}, checksum)}\n`);
}

/** "name (fork)", then "name (fork 2)" and so on. */
function addNameSuffix(name: string, suffix: ForkName["nameSuffix"]): string {
  const [, stem = name, previousSuffix, number] = /^(.*) \((fork|copy)(?: (\d{1,6}))?\)$/s.exec(name) ?? [];
  return previousSuffix === suffix ? `${stem} (${suffix} ${Number(number ?? 1) + 1})` : `${name} (${suffix})`;
}

/** The entry of the last line; null if there is only the header. */
function parseLastEntry(bytes: Uint8Array): Entry | null {
  const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  if (start === 0) return null;
  return JSON.parse(Buffer.from(bytes.subarray(start)).toString("utf8")) as Entry;
}

export interface CloneSessionOptions extends SessionFileOptions {
  /** The working directory of the new session; default: that of the source. */
  readonly cwd?: string;
  readonly id?: string;
}

export type CloneResult = { readonly type: "cloned"; readonly path: string; readonly id: string } | UnavailableResult;

/** Copies all branches to a new session. Every line stays as written, except the header and the parent offsets. */
export async function cloneSession(
  path: string,
  { cwd, id, ...options }: CloneSessionOptions = {},
): Promise<CloneResult> {
  const config = applyDefaults(options);
  const { files } = config;
  return catchDiskErrors<CloneResult>(`${path} cannot be cloned`, async () => {
    const file = files.open(path, "read");
    try {
      const source = await readLineSource(file, { ...config, path });
      const newCwd = resolve(cwd ?? sessionCwd(path, source.header, files));
      const target = prepareSessionFile(newCwd, { ...config, id });
      if (target.type !== "free") return target;
      // Blobs first, so that they exist as soon as the new session does.
      const copyResult = await copyBlobs(path, target.path, { hashes: blobHashes(path, files), files });
      if (copyResult.type !== "copied") return copyResult;
      const header = {
        id: target.runtime.sessionId(),
        timestamp: toIsoTime(target.runtime.now()),
        cwd: newCwd,
        parentSession: resolve(path),
      };
      const text = rewriteHeaderText(source.headerText, header);
      const lines = rewriteLines({ header: text, lines: addEntryNumbers(source), checksum: config.runtime.checksum });
      await writeCopy(target.path, lines, files);
      return { type: "cloned", path: target.path, id: header.id };
    } finally {
      file.close();
    }
  });
}

function rewriteHeaderText(
  oldHeader: string,
  members: Pick<Header, "id" | "timestamp" | "cwd" | "parentSession">,
): string {
  const changes = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]);
  return addHeaderMark(setJsonMembers(oldHeader, Object.fromEntries(changes)));
}

const toIsoTime = (now: number): string => new Date(now).toISOString();

export type ExportResult =
  | {
      readonly type: "exported";
      /** Hashes of blobs that are lost or changed; the export keeps their placeholder texts. */
      readonly missing: readonly string[];
    }
  | UnavailableResult;

/**
 * Exports a session in pi's format: version 3, without trailers, images inline, all branches, the same leaf. `targetPath` must not exist;
 * the content is redacted.
 */
export async function exportForPi(
  path: string,
  targetPath: string,
  options: SessionFileOptions = {},
): Promise<ExportResult> {
  const config = applyDefaults(options);
  const { files, redaction } = config;
  return catchDiskErrors<ExportResult>(`${path} cannot be exported to ${targetPath}`, async () => {
    const file = files.open(path, "read");
    try {
      const source = await readLineSource(file, { ...config, path });
      const { header } = source;
      const missing = new Set<string>();
      const readContent = (blob: BlobInfo): string | null => {
        const content = decodeBlobContent(readBlobSync(path, blob.hash, { files }), blob);
        if (content === null) missing.add(blob.hash);
        return content;
      };
      const headerLine = toPiHeader(redaction.redact({ ...header, cwd: sessionCwd(path, header, files) }));
      await writeCopy(targetPath, toPiLines(headerLine, addEntryNumbers(source), { readContent, redaction }), files);
      return { type: "exported", missing: [...missing] };
    } finally {
      file.close();
    }
  });
}

function decodeBlobContent(result: ReadBlobResult, blob: BlobInfo): string | null {
  if (result.type !== "read") return null;
  return Buffer.from(result.bytes).toString(isImageBlob(blob) ? "base64" : "utf8");
}

function toPiHeader({ pith, ...header }: Header): string {
  const { lastNumber } = pith ?? {};
  const pithMembers = lastNumber !== undefined && { pith: { lastNumber } };
  return JSON.stringify({ ...header, version: CURRENT_VERSION, ...pithMembers });
}

interface PiLineOptions {
  readonly readContent: (blob: BlobInfo) => string | null;
  readonly redaction: Redaction;
}

function* toPiLines(header: string, lines: Iterable<SourceLine>, options: PiLineOptions): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const line of lines)
    yield Buffer.from(`${redactEntryText(inlineBlobsInLine(line.text(), options.readContent), options.redaction)}\n`);
}

function inlineBlobsInLine(text: string, readContent: PiLineOptions["readContent"]): string {
  // Few lines contain a blob; the others are not parsed.
  if (!text.includes('"blob"')) return text;
  const entry = parseEntry(JSON.parse(text) as JsonObject);
  if (!entry || collectBlobs(entry).length === 0) return text;
  return patchEntryText(text, entry, inlineBlobs(entry, readContent));
}
