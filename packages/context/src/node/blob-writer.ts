/** Writes a blob in chunks beside the session's other blobs, and names it by its hash when it is complete. */

import { createHash, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { type BlobOptions, blobPath, syncBlobFolders } from "./blobs.ts";
import {
  appendAll,
  blobFolder,
  type Files,
  ignoreDiskErrors,
  type OpenFile,
  realFiles,
  toUnavailableResult,
  type UnavailableResult,
} from "./files.ts";

export interface BlobWriterOptions extends BlobOptions {
  /** Bytes beyond this are dropped; default: 256 MiB. */
  readonly quota?: number;
}

export type BlobWriteResult =
  /** `isWhole` is false if the quota was reached and only the beginning was stored. */
  | { readonly type: "kept"; readonly hash: string; readonly bytes: number; readonly isWhole: boolean }
  | UnavailableResult;

/** The default size limit of a blob that is written in chunks. */
export const BLOB_QUOTA: number = 256 * 1024 * 1024;

type BlobWriterState =
  | { readonly type: "new" | "over" }
  | { readonly type: "open"; readonly file: OpenFile }
  | { readonly type: "refused"; readonly failure: UnavailableResult };

/** Writes a blob in chunks without holding it in memory. The file is created by the first chunk; `keep` reports disk errors. */
export class BlobWriter {
  readonly #sessionPath: string;
  readonly #path: string;
  readonly #files: Files;
  readonly #quota: number;
  readonly #hash = createHash("sha256");
  #state: BlobWriterState = { type: "new" };
  #bytes = 0;
  #unsyncedBytes = 0;
  #isComplete = true;

  constructor(sessionPath: string, { files = realFiles, quota = BLOB_QUOTA }: BlobWriterOptions = {}) {
    this.#sessionPath = sessionPath;
    this.#path = join(blobFolder(sessionPath), `${processTempPrefix()}${randomUUID()}`);
    this.#files = files;
    this.#quota = quota;
  }

  /** Writes a chunk; does nothing after `keep` or `drop`. */
  write(chunk: Uint8Array): void {
    const accepted = chunk.subarray(0, this.#quota - this.#bytes);
    this.#isComplete &&= accepted.length === chunk.length;
    if (accepted.length > 0) this.#attempt((file) => this.#append(file, accepted));
  }

  /** Completes the blob; it is on disk when the promise resolves. */
  async keep(): Promise<BlobWriteResult> {
    const result = this.#attempt((file) => this.#commitFile(file));
    if (result === null) throw new Error("the blob was already kept or dropped");
    return result;
  }

  /** Removes what was written; does nothing after `keep`. */
  drop(): void {
    if (this.#state.type === "open") this.#remove(this.#state.file);
    this.#state = { type: "over" };
  }

  #append(file: OpenFile, chunk: Uint8Array): void {
    appendAll(file, chunk);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.#unsyncedBytes += chunk.length;
    if (this.#unsyncedBytes < SYNC_INTERVAL_BYTES) return;
    file.sync();
    this.#unsyncedBytes = 0;
  }

  #commitFile(file: OpenFile): BlobWriteResult {
    file.sync();
    const hash = this.#hash.digest("hex");
    this.#files.rename(this.#path, blobPath(this.#sessionPath, hash));
    this.#state = { type: "over" };
    file.close();
    syncBlobFolders(this.#sessionPath, this.#files);
    return { type: "kept", hash, bytes: this.#bytes, isWhole: this.#isComplete };
  }

  /** After a disk error the file is removed and every later call returns the same error. Null after `keep` or `drop`. */
  #attempt<Value>(operation: (file: OpenFile) => Value): Value | UnavailableResult | null {
    if (this.#state.type === "refused") return this.#state.failure;
    try {
      const file = this.#openFile();
      return file && operation(file);
    } catch (error) {
      const failure = toUnavailableResult("the blob cannot be stored", error);
      this.drop();
      this.#state = { type: "refused", failure };
      return failure;
    }
  }

  #openFile(): OpenFile | null {
    if (this.#state.type === "open") return this.#state.file;
    if (this.#state.type !== "new") return null;
    const folder = dirname(this.#path);
    this.#files.makeFolder(folder);
    removeStaleTempFiles(folder, this.#files);
    const file = this.#files.create(this.#path);
    this.#state = { type: "open", file };
    return file;
  }

  // Errors are ignored: a later writer removes the file if it stays.
  #remove(file: OpenFile): void {
    ignoreDiskErrors(() => file.close());
    ignoreDiskErrors(() => this.#files.remove(this.#path));
  }
}

/** A sync blocks the process, so the file is synced in many short steps instead of one long one. */
const SYNC_INTERVAL_BYTES = 8 * 1024 * 1024;

const TEMP_BLOB_PREFIX = "draft-";
/** Contains the pid and the start time: in a container the pid is the same at every start. */
const processTempPrefix = (): string => `${TEMP_BLOB_PREFIX}${process.pid}-${Math.floor(performance.timeOrigin)}-`;

/** A session has one writer, so a temporary file of another process was left by a crash. */
function removeStaleTempFiles(folder: string, files: Files): void {
  const staleNames = files
    .list(folder)
    .filter((name) => name.startsWith(TEMP_BLOB_PREFIX) && !name.startsWith(processTempPrefix()));
  for (const name of staleNames) ignoreDiskErrors(() => files.remove(join(folder, name)));
}
