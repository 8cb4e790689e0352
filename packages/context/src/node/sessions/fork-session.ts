/** One branch of a session as a session of its own, in a file of its own; the source may be open anywhere, also for writing. */

import { resolve } from "node:path";
import type { Entry } from "../../entry.ts";
import type { Ports } from "../../ports.ts";
import { blobsIn } from "../../session/blob-block.ts";
import { sealed } from "../../session/codec/line/seal.ts";
import { entryText } from "../../session/codec/line/write-line.ts";
import { forked } from "../../session/fork.ts";
import { Session } from "../../session/session.ts";
import { copyBlobs } from "../blobs/blob-folder.ts";
import { orUnavailable } from "../files/unavailable.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { createWhole } from "../jsonl/writing/rewrite.ts";
import { type HomeParts, settled } from "./home.ts";
import { cwdOf, newPlace } from "./placing/new-place.ts";
import { closed, type NotOpened, type Target } from "./placing/with-session.ts";

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
    const copying = await copyBlobs(from, place.path, { hashes: await hashesOn(store, end), files });
    if (copying.type !== "copied") return copying;
    const branch = await forked(store, { leaf: end, cwd: newCwd, parentSession: from }, place.ports);
    createWhole(place.path, Buffer.concat([branch, nameLine(branch, await store.name(), place.ports)]), files);
    return { type: "forked", path: place.path, id: place.ports.sessionId(), missing: copying.missing };
  });
}

async function hashesOn(store: JsonlStore, leaf: string | null): Promise<readonly string[]> {
  return (await store.branch(leaf)).flatMap(blobsIn).map(({ hash }) => hash);
}

function nameLine(branch: Uint8Array, name: string | undefined, { entryId, now, checksum }: Ports): Uint8Array {
  if (name === undefined) return Buffer.alloc(0);
  const entry: Entry = {
    type: "session_info",
    id: entryId(),
    parentId: lastId(branch),
    timestamp: new Date(now()).toISOString(),
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
function lastId(file: Uint8Array): string | null {
  const start = file.lastIndexOf(0x0a, file.length - 2) + 1;
  if (start === 0) return null;
  return (JSON.parse(Buffer.from(file.subarray(start)).toString("utf8")) as Entry).id;
}
