/** Opens, creates, follows or takes over a session file. Expected failures are returned, never thrown. */

import { dirname } from "node:path";
import { encodeSession, newHeader, type Origin } from "../../format/session-file.ts";
import { formatLimits } from "../../settings.ts";
import {
  diskError,
  leasePath,
  type OpenFile,
  orUnavailable,
  realFiles,
  sideFolder,
  type Unavailable,
} from "../files.ts";
import { type Lease, takeLease } from "../lease.ts";
import { type Owner, realProcesses } from "../process-owner.ts";
import { machine } from "../runtime.ts";
import { LogFile } from "./append.ts";
import { type AllParts, JsonlStore, type StoreParts } from "./jsonl-store.ts";
import { createWhole, makeFolder } from "./rewrite.ts";

export interface Opening extends StoreParts {
  /** A follower only reads; a taker becomes the writer although another is. */
  readonly as?: "writer" | "follower" | "taker";
}

export type Opened =
  | { readonly type: "opened"; readonly store: JsonlStore }
  /** Another process writes it: follow it, fork it, or take it over. */
  | { readonly type: "held"; readonly owner: Owner }
  | Unavailable;

/** A new, empty session; refused where anything has that name. */
export async function createStore(path: string, origin: Origin, parts: StoreParts = {}): Promise<Opened> {
  const all = withDefaults(parts);
  const { files, ports } = all;
  return orUnavailable(`${path} cannot be created`, () => {
    makeFolder(dirname(path), files);
    const open = (): OpenFile => {
      createWhole(path, encodeSession([JSON.stringify(newHeader(origin, ports))], ports.checksum), files);
      return files.open(path, "append");
    };
    return leased({ path, open, takeOver: false }, all);
  });
}

/** Reads no further than the context needs, and changes nothing in the file. */
export async function openStore(path: string, { as = "writer", ...parts }: Opening = {}): Promise<Opened> {
  return orUnavailable(`${path} cannot be opened`, () => opened(as, path, withDefaults(parts)));
}

function opened(as: NonNullable<Opening["as"]>, path: string, parts: AllParts): Opened {
  const { files } = parts;
  const there = files.stat(path);
  // Said before the lease is taken, for that would make folders.
  if (there === null) throw refusal("ENOENT", path);
  if (there.kind !== "file") throw refusal(there.kind === "folder" ? "EISDIR" : "ELOOP", path);
  if (as === "follower") return asFollower(path, parts);
  const outcome = leased({ path, open: () => files.open(path, "append"), takeOver: as === "taker" }, parts);
  if (outcome.type === "opened" && there.size > LONG) prepareSoon(outcome.store);
  return outcome;
}

/** The lease comes first, and is given back if anything after it fails. */
function leased({ path, open, takeOver }: Leased, parts: AllParts): Opened {
  const { files, ports, processes } = parts;
  files.makeFolder(sideFolder(path));
  const leasing = takeLease(leasePath(path), { files, processes, now: ports.now, nonce: ports.nonce, takeOver });
  if (leasing.type === "held") return leasing;
  let file: OpenFile | null = null;
  try {
    file = open();
    const log = new LogFile(path, file, files);
    // What a writer has seen must not be gone tomorrow: whoever wrote it may have died before the disk had it.
    if (!log.sync()) throw refusal("EIO", path);
    return { type: "opened", store: new JsonlStore(log, leasing.lease, parts) };
  } catch (error) {
    file?.close();
    giveBack(leasing.lease);
    throw error;
  }
}

interface Leased {
  readonly path: string;
  open(): OpenFile;
  /** Although its owner lives. */
  readonly takeOver: boolean;
}

function giveBack(lease: Lease): void {
  try {
    lease.release();
  } catch (error) {
    // What made opening fail is what is said; a lease that stays behind ends with this process.
    if (diskError(error) === "") throw error;
  }
}

// The first append needs the index: for a long file it is made while the user reads and types.
function prepareSoon(store: JsonlStore): void {
  const onlyDisk = (error: unknown): void => {
    // Whoever asks for the index next hears of it; here a store that was closed meanwhile is no news.
    if (diskError(error) === "") throw error;
  };
  setImmediate(() => void store.prepare().catch(onlyDisk)).unref();
}

/** Bytes; a shorter file is indexed before anybody notices. */
const LONG = 1024 * 1024;

function asFollower(path: string, parts: AllParts): Opened {
  const file = parts.files.open(path, "read");
  try {
    return { type: "opened", store: new JsonlStore(new LogFile(path, file, parts.files), null, parts) };
  } catch (error) {
    file.close();
    throw error;
  }
}

function refusal(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function withDefaults(parts: StoreParts): AllParts {
  return {
    files: realFiles,
    ports: machine,
    processes: realProcesses,
    limits: formatLimits,
    durability: "durable",
    ...parts,
  };
}
