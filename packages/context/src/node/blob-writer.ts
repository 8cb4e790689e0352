/** Writes a blob that arrives in pieces, beside the session's other blobs, and names it by its hash once it is complete. */

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
  /** Bytes beyond this are not taken; 256 MB unless said. */
  readonly quota?: number;
}

export type BlobWriteResult =
  /** `isWhole` is false where the quota was reached: the beginning was kept. */
  | { readonly type: "kept"; readonly hash: string; readonly bytes: number; readonly isWhole: boolean }
  | UnavailableResult;

export const BLOB_QUOTA: number = 256 * 1024 * 1024;

type BlobWriterState =
  | { readonly type: "new" | "over" }
  | { readonly type: "open"; readonly file: OpenFile }
  | { readonly type: "refused"; readonly failure: UnavailableResult };

/** Touches the disk with its first piece, and holds none in memory. What the disk has against one is said by `keep`. */
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

  /** Without effect once it was kept or dropped. */
  write(chunk: Uint8Array): void {
    const accepted = chunk.subarray(0, this.#quota - this.#bytes);
    this.#isComplete &&= accepted.length === chunk.length;
    if (accepted.length > 0) this.#attempt((file) => this.#append(file, accepted));
  }

  /** On the disk when it returns. */
  async keep(): Promise<BlobWriteResult> {
    const result = this.#attempt((file) => this.#commitFile(file));
    if (result === null) throw new Error("the blob was kept or dropped before");
    return result;
  }

  /** Nothing of it stays; harmless after `keep`. */
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

  /** What was refused once stays refused, and leaves its room on the disk to others. Null where it is over. */
  #attempt<Made>(operation: (file: OpenFile) => Made): Made | UnavailableResult | null {
    if (this.#state.type === "refused") return this.#state.failure;
    try {
      const file = this.#openFile();
      return file && operation(file);
    } catch (error) {
      const failure = toUnavailableResult("the blob cannot be kept", error);
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

  // Whoever drops a draft needs no answer; what cannot be removed is litter that a later draft sweeps.
  #remove(file: OpenFile): void {
    ignoreDiskErrors(() => file.close());
    ignoreDiskErrors(() => this.#files.remove(this.#path));
  }
}

/** Waiting for the disk holds up everything else: many short waits instead of one for all of it. */
const SYNC_INTERVAL_BYTES = 8 * 1024 * 1024;

const TEMP_BLOB_PREFIX = "draft-";
/** A process by its number and its birth: in a container the number is the same at every start. */
const processTempPrefix = (): string => `${TEMP_BLOB_PREFIX}${process.pid}-${Math.floor(performance.timeOrigin)}-`;

/** A session has one writer, so what another process began here was left by a crash. */
function removeStaleTempFiles(folder: string, files: Files): void {
  const staleNames = files
    .list(folder)
    .filter((name) => name.startsWith(TEMP_BLOB_PREFIX) && !name.startsWith(processTempPrefix()));
  for (const name of staleNames) ignoreDiskErrors(() => files.remove(join(folder, name)));
}
