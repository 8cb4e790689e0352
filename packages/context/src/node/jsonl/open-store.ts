/** Opens, creates, follows or takes over a session file. Expected failures are returned, never thrown. */

import { dirname } from "node:path";
import { createHeader, encodeSession, type SessionOrigin } from "../../format/session-file.ts";
import { formatLimits } from "../../settings.ts";
import {
  catchDiskErrors,
  diskErrorCode,
  leasePath,
  type OpenFile,
  realFiles,
  sidecarFolder,
  type UnavailableResult,
} from "../files.ts";
import { acquireLease, type Lease, type LeaseOwner, realProcessTable } from "../lease.ts";
import { nodeRuntime } from "../runtime.ts";
import { LogFile } from "./append.ts";
import { type AllStoreOptions, JsonlStore, type StoreOptions } from "./jsonl-store.ts";
import { createFileAtomically, makeDurableFolder } from "./rewrite.ts";

/** Options for `openStore`. */
export interface OpenOptions extends StoreOptions {
  /** `follower` only reads; `takeover` becomes the writer even if another process is. The default is `writer`. */
  readonly mode?: "writer" | "follower" | "takeover";
}

/** The result of opening or creating a session file. */
export type OpenResult =
  | { readonly type: "opened"; readonly store: JsonlStore }
  /** Another process writes the session: follow it, fork it, or take it over. */
  | { readonly type: "held"; readonly owner: LeaseOwner }
  | UnavailableResult;

/** Creates a session file. Fails if the path exists. */
export async function createStore(
  path: string,
  origin: SessionOrigin,
  options: StoreOptions = {},
): Promise<OpenResult> {
  const allOptions = withStoreDefaults(options);
  const { files, runtime } = allOptions;
  return catchDiskErrors(`${path} cannot be created`, () => {
    makeDurableFolder(dirname(path), files);
    const open = (): OpenFile => {
      createFileAtomically(
        path,
        encodeSession([JSON.stringify(createHeader(origin, runtime))], runtime.checksum),
        files,
      );
      return files.open(path, "append");
    };
    return openWithLease({ path, open, takeOver: false }, allOptions);
  });
}

/** Opens a session file. Reads only what the context needs and does not change the file. */
export async function openStore(path: string, { mode = "writer", ...options }: OpenOptions = {}): Promise<OpenResult> {
  return catchDiskErrors(`${path} cannot be opened`, () => openExistingFile(mode, path, withStoreDefaults(options)));
}

function openExistingFile(mode: NonNullable<OpenOptions["mode"]>, path: string, options: AllStoreOptions): OpenResult {
  const { files } = options;
  const stats = files.stat(path);
  // Checked before the lease is acquired, because that creates folders.
  if (stats === null) throw createDiskError("ENOENT", path);
  if (stats.kind !== "file") throw createDiskError(stats.kind === "folder" ? "EISDIR" : "ELOOP", path);
  if (mode === "follower") return openFollower(path, options);
  const result = openWithLease(
    { path, open: () => files.open(path, "append"), takeOver: mode === "takeover" },
    options,
  );
  if (result.type === "opened" && stats.size > LARGE_FILE_BYTES) prepareIndexSoon(result.store);
  return result;
}

/** Acquires the lease, then opens the file. Releases the lease if opening fails. */
function openWithLease({ path, open, takeOver }: OpenWithLeaseOptions, options: AllStoreOptions): OpenResult {
  const { files, runtime, processes } = options;
  files.makeFolder(sidecarFolder(path));
  const leaseResult = acquireLease(leasePath(path), {
    files,
    processes,
    now: runtime.now,
    nonce: runtime.nonce,
    takeOver,
  });
  if (leaseResult.type === "held") return leaseResult;
  let file: OpenFile | null = null;
  try {
    file = open();
    const log = new LogFile(path, file, files);
    // The previous writer may have died before its sync. What this writer reads must not be lost in a power cut.
    if (!log.sync()) throw createDiskError("EIO", path);
    return { type: "opened", store: new JsonlStore(log, leaseResult.lease, options) };
  } catch (error) {
    file?.close();
    releaseQuietly(leaseResult.lease);
    throw error;
  }
}

interface OpenWithLeaseOptions {
  readonly path: string;
  open(): OpenFile;
  /** Whether to take the lease from a running process. */
  readonly takeOver: boolean;
}

function releaseQuietly(lease: Lease): void {
  try {
    lease.release();
  } catch (error) {
    // The error of opening is reported. A lease that stays behind ends with this process.
    if (diskErrorCode(error) === "") throw error;
  }
}

// The first append needs the index. For a long file it is built in the background.
function prepareIndexSoon(store: JsonlStore): void {
  const ignoreDiskError = (error: unknown): void => {
    // The next operation that needs the index reports the error.
    if (diskErrorCode(error) === "") throw error;
  };
  setImmediate(() => void store.prepareIndex().catch(ignoreDiskError)).unref();
}

/** Indexing a smaller file takes no noticeable time. */
const LARGE_FILE_BYTES = 1024 * 1024;

function openFollower(path: string, options: AllStoreOptions): OpenResult {
  const file = options.files.open(path, "read");
  try {
    return { type: "opened", store: new JsonlStore(new LogFile(path, file, options.files), null, options) };
  } catch (error) {
    file.close();
    throw error;
  }
}

function createDiskError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function withStoreDefaults(options: StoreOptions): AllStoreOptions {
  return {
    files: realFiles,
    runtime: nodeRuntime,
    processes: realProcessTable,
    limits: formatLimits,
    durability: "durable",
    ...options,
  };
}
