/** Forks, clones and exports sessions to new files. The source may be open anywhere, also for writing. */

import { resolve } from "node:path";
import type { Entry, Header } from "../../entry.ts";
import { withMembers } from "../../format/edit-json.ts";
import { entryAlone, entryText } from "../../format/entry-line.ts";
import { sealed } from "../../format/line-checksum.ts";
import type { JsonObject } from "../../format/read-line.ts";
import { CURRENT_VERSION, markedHeader } from "../../format/session-file.ts";
import { BLOB_DIGITS, findBlobDigits } from "../../references.ts";
import type { Ports } from "../../runtime.ts";
import { blobsIn, isImage, type KeptBlob, withInlined } from "../../session/blobs.ts";
import { forked } from "../../session/fork.ts";
import { type Redaction, Session } from "../../session/session.ts";
import { type BlobReading, blobContent, blobHashes, copyBlobs } from "../blobs.ts";
import { orUnavailable, type Unavailable } from "../files.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createWhole } from "../jsonl/rewrite.ts";
import {
  changedText,
  copiedLines,
  numberedLines,
  redactedText,
  type SourceLine,
  sourceLines,
  writeCopy,
} from "./copy-lines.ts";
import { cwdOf, type HomeParts, newPlace, settled } from "./paths.ts";
import { closed, type NotOpened, type Target } from "./sessions.ts";

export interface ForkParts extends HomeParts {
  /** The end of the branch to take; the last entry if not said, null for an empty session. */
  readonly leaf?: string | null;
  /** The directory of the new session; that of the old one if not said. */
  readonly cwd?: string;
  readonly id?: string;
}

export type Forking =
  | {
      readonly type: "forked";
      readonly path: string;
      readonly id: string;
      /** Hashes of blobs that the branch names and the source no longer has. */
      readonly missing: readonly string[];
    }
  | { readonly type: "no-entry"; readonly why: string }
  | NotOpened;

/** What is open is only read, and stays open. A `Session` is forked where it stands, also if others have gone on since. */
export async function forkSession(source: Target, parts: ForkParts = {}): Promise<Forking> {
  if (source instanceof Session) return forkSession(fileOf(source), { leaf: source.leaf, ...parts });
  if (source instanceof JsonlStore) return forkOf(source, parts);
  const opened = await openStore(source, { ...settled(parts), as: "follower" });
  if (opened.type !== "opened") return opened;
  try {
    return await forkOf(opened.store, parts);
  } finally {
    await closed(opened.store);
  }
}

function fileOf({ store }: Session): JsonlStore {
  if (store instanceof JsonlStore) return store;
  throw new Error("this session is not kept in a file; session.fork() gives its bytes");
}

async function forkOf(store: JsonlStore, { leaf, cwd, id, ...parts }: ForkParts): Promise<Forking> {
  const all = settled(parts);
  const { files } = all;
  const from = resolve(store.path);
  return orUnavailable<Forking>(`${from} cannot be forked`, async () => {
    const end = leaf === undefined ? await store.leaf() : leaf;
    if (end !== null && !(await store.entry(end)))
      return { type: "no-entry", why: `${from} has no entry ${end}; take its id from the tree` };
    const newCwd = resolve(cwd ?? cwdOf(from, store.header, files));
    const place = newPlace(newCwd, { ...all, id });
    if (place.type !== "free") return place;
    // Before the log: whoever sees the new session finds its blobs.
    const hashes = hashesIn(await store.branch(end), blobHashes(from, files));
    const copying = await copyBlobs(from, place.path, { hashes, files });
    if (copying.type !== "copied") return copying;
    const branch = await forked(store, { leaf: end, cwd: newCwd, parentSession: from }, place.ports);
    const name = nameLine(branch, { name: await store.name(), lastNumber: await store.lastNumber() }, place.ports);
    createWhole(place.path, Buffer.concat([branch, name]), files);
    return { type: "forked", path: place.path, id: place.ports.sessionId(), missing: copying.missing };
  });
}

/** Of all that the entries name: in a block that stands for a blob, whether it is kept or not, and anywhere else by a reference. */
function hashesIn(entries: readonly Entry[], kept: readonly string[]): readonly string[] {
  const beginning = (digits: string): string => digits.slice(0, BLOB_DIGITS);
  const cited = new Set(entries.flatMap((entry) => findBlobDigits(JSON.stringify(entry)).map(beginning)));
  const named = entries.flatMap(blobsIn).map(({ hash }) => hash);
  return [...named, ...kept.filter((hash) => cited.has(beginning(hash)))];
}

function nameLine(
  branch: Uint8Array,
  { name, lastNumber }: { readonly name: string | undefined; readonly lastNumber: number },
  { entryId, now, checksum }: Ports,
): Uint8Array {
  if (name === undefined) return Buffer.alloc(0);
  const last = lastEntry(branch);
  const entry: Entry = {
    type: "session_info",
    id: entryId(),
    parentId: last?.id ?? null,
    timestamp: new Date(now()).toISOString(),
    number: Math.max(lastNumber, last?.number ?? 0) + 1,
    name: forkName(name),
  };
  return Buffer.from(`${sealed(entryText(entry), {}, checksum)}\n`);
}

/** "name (fork)", then "name (fork 2)" and so on. */
function forkName(name: string): string {
  const [, stem = name, number] = /^(.*) \(fork(?: (\d{1,6}))?\)$/s.exec(name) ?? [];
  return stem === name ? `${name} (fork)` : `${stem} (fork ${Number(number ?? 1) + 1})`;
}

/** Of the last line; null where there is only the header. */
function lastEntry(file: Uint8Array): Entry | null {
  const start = file.lastIndexOf(0x0a, file.length - 2) + 1;
  if (start === 0) return null;
  return JSON.parse(Buffer.from(file.subarray(start)).toString("utf8")) as Entry;
}

export interface ClonePlan extends HomeParts {
  /** The directory of the new session; that of the old one if not said. */
  readonly cwd?: string;
  readonly id?: string;
}

export type Cloning = { readonly type: "cloned"; readonly path: string; readonly id: string } | Unavailable;

/**
 * Copies all branches. Every line stays as written, except the header and the offsets of parents. The source may be open anywhere, also
 * for writing.
 */
export async function cloneSession(path: string, { cwd, id, ...parts }: ClonePlan = {}): Promise<Cloning> {
  const all = settled(parts);
  const { files } = all;
  return orUnavailable<Cloning>(`${path} cannot be cloned`, async () => {
    const file = files.open(path, "read");
    try {
      const source = await sourceLines(file, { ...all, path });
      const newCwd = resolve(cwd ?? cwdOf(path, source.header, files));
      const place = newPlace(newCwd, { ...all, id });
      if (place.type !== "free") return place;
      // Before the log: whoever sees the new session finds its blobs.
      const copying = await copyBlobs(path, place.path, { hashes: blobHashes(path, files), files });
      if (copying.type !== "copied") return copying;
      const header = {
        id: place.ports.sessionId(),
        timestamp: timeOf(place.ports.now()),
        cwd: newCwd,
        parentSession: resolve(path),
      };
      const text = headerText(source.headerText, header);
      const lines = copiedLines({ header: text, lines: numberedLines(source), checksum: all.ports.checksum });
      await writeCopy(place.path, lines, files);
      return { type: "cloned", path: place.path, id: header.id };
    } finally {
      file.close();
    }
  });
}

function headerText(old: string, members: Pick<Header, "id" | "timestamp" | "cwd" | "parentSession">): string {
  const changes = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]);
  return markedHeader(withMembers(old, Object.fromEntries(changes)));
}

const timeOf = (now: number): string => new Date(now).toISOString();

export type Exporting =
  | {
      readonly type: "exported";
      /** Hashes of blobs that are lost or changed: where they belong, the words about them stay. */
      readonly missing: readonly string[];
    }
  | Unavailable;

/**
 * Writes what pi would have written: version 3, no seals, images inline, all branches, the same leaf. `to` must be free; what leaves
 * passes the redaction.
 */
export async function exportForPi(path: string, to: string, parts: HomeParts = {}): Promise<Exporting> {
  const all = settled(parts);
  const { files, redaction } = all;
  return orUnavailable<Exporting>(`${path} cannot be exported to ${to}`, async () => {
    const file = files.open(path, "read");
    try {
      const source = await sourceLines(file, { ...all, path });
      const { header } = source;
      const missing = new Set<string>();
      const contentOf = (blob: KeptBlob): string | null => {
        const content = contentIn(blobContent(path, blob.hash, { files }), blob);
        if (content === null) missing.add(blob.hash);
        return content;
      };
      const first = plainHeader(redaction.redacted({ ...header, cwd: cwdOf(path, header, files) }));
      await writeCopy(to, plainLines(first, numberedLines(source), { contentOf, redaction }), files);
      return { type: "exported", missing: [...missing] };
    } finally {
      file.close();
    }
  });
}

function contentIn(reading: BlobReading, blob: KeptBlob): string | null {
  if (reading.type !== "read") return null;
  return Buffer.from(reading.bytes).toString(isImage(blob) ? "base64" : "utf8");
}

function plainHeader({ pith, ...header }: Header): string {
  const { lastNumber } = pith ?? {};
  const mark = lastNumber !== undefined && { pith: { lastNumber } };
  return JSON.stringify({ ...header, version: CURRENT_VERSION, ...mark });
}

interface Plainly {
  readonly contentOf: (blob: KeptBlob) => string | null;
  readonly redaction: Redaction;
}

function* plainLines(header: string, lines: Iterable<SourceLine>, plainly: Plainly): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const line of lines) yield Buffer.from(`${plainText(line.text(), plainly)}\n`);
}

function plainText(text: string, { contentOf, redaction }: Plainly): string {
  return redactedText(inlinedText(text, contentOf), redaction);
}

function inlinedText(text: string, contentOf: Plainly["contentOf"]): string {
  // Few lines name a blob, and only those are taken apart.
  if (!text.includes('"blob"')) return text;
  const entry = entryAlone(JSON.parse(text) as JsonObject);
  if (!entry || blobsIn(entry).length === 0) return text;
  return changedText(text, entry, withInlined(entry, contentOf));
}
