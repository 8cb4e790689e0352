/** Writes a blob that arrives in pieces, beside the session's other blobs, and names it by its hash once it is complete. */

import { createHash, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { type BlobParts, blobPath, syncBlobFolders } from "./blobs.ts";
import {
  appendAll,
  blobFolder,
  type Files,
  type OpenFile,
  orNull,
  realFiles,
  type Unavailable,
  unavailable,
} from "./files.ts";

export interface DraftParts extends BlobParts {
  /** Bytes beyond this are not taken; 256 MB unless said. */
  readonly quota?: number;
}

export type DraftKeeping =
  /** `isWhole` is false where the quota was reached: the beginning was kept. */
  { readonly type: "kept"; readonly hash: string; readonly bytes: number; readonly isWhole: boolean } | Unavailable;

export const BLOB_QUOTA: number = 256 * 1024 * 1024;

type State =
  | { readonly type: "new" | "over" }
  | { readonly type: "open"; readonly file: OpenFile }
  | { readonly type: "refused"; readonly why: Unavailable };

/** Touches the disk with its first piece, and holds none in memory. What the disk has against one is said by `keep`. */
export class BlobDraft {
  readonly #sessionPath: string;
  readonly #path: string;
  readonly #files: Files;
  readonly #quota: number;
  readonly #hash = createHash("sha256");
  #state: State = { type: "new" };
  #bytes = 0;
  #unsynced = 0;
  #isWhole = true;

  constructor(sessionPath: string, { files = realFiles, quota = BLOB_QUOTA }: DraftParts = {}) {
    this.#sessionPath = sessionPath;
    this.#path = join(blobFolder(sessionPath), `${ownPrefix()}${randomUUID()}`);
    this.#files = files;
    this.#quota = quota;
  }

  /** Without effect once it was kept or dropped. */
  write(piece: Uint8Array): void {
    const taken = piece.subarray(0, this.#quota - this.#bytes);
    this.#isWhole &&= taken.length === piece.length;
    if (taken.length > 0) this.#attempt((file) => this.#append(file, taken));
  }

  /** On the disk when it returns. */
  async keep(): Promise<DraftKeeping> {
    const kept = this.#attempt((file) => this.#placed(file));
    if (kept === null) throw new Error("the blob was kept or dropped before");
    return kept;
  }

  /** Nothing of it stays; harmless after `keep`. */
  drop(): void {
    if (this.#state.type === "open") this.#remove(this.#state.file);
    this.#state = { type: "over" };
  }

  #append(file: OpenFile, piece: Uint8Array): void {
    appendAll(file, piece);
    this.#hash.update(piece);
    this.#bytes += piece.length;
    this.#unsynced += piece.length;
    if (this.#unsynced < SYNCED) return;
    file.sync();
    this.#unsynced = 0;
  }

  #placed(file: OpenFile): DraftKeeping {
    file.sync();
    const hash = this.#hash.digest("hex");
    this.#files.rename(this.#path, blobPath(this.#sessionPath, hash));
    this.#state = { type: "over" };
    file.close();
    syncBlobFolders(this.#sessionPath, this.#files);
    return { type: "kept", hash, bytes: this.#bytes, isWhole: this.#isWhole };
  }

  /** What was refused once stays refused, and leaves its room on the disk to others. Null where it is over. */
  #attempt<Made>(act: (file: OpenFile) => Made): Made | Unavailable | null {
    if (this.#state.type === "refused") return this.#state.why;
    try {
      const file = this.#opened();
      return file && act(file);
    } catch (error) {
      const why = unavailable("the blob cannot be kept", error);
      this.drop();
      this.#state = { type: "refused", why };
      return why;
    }
  }

  #opened(): OpenFile | null {
    if (this.#state.type === "open") return this.#state.file;
    if (this.#state.type !== "new") return null;
    const folder = dirname(this.#path);
    this.#files.makeFolder(folder);
    sweep(folder, this.#files);
    const file = this.#files.create(this.#path);
    this.#state = { type: "open", file };
    return file;
  }

  // Whoever drops a draft needs no answer; what cannot be removed is litter that a later draft sweeps.
  #remove(file: OpenFile): void {
    orNull(() => file.close());
    orNull(() => this.#files.remove(this.#path));
  }
}

/** Waiting for the disk holds up everything else: many short waits instead of one for all of it. */
const SYNCED = 8 * 1024 * 1024;

const DRAFT = "draft-";
/** A process by its number and its birth: in a container the number is the same at every start. */
const ownPrefix = (): string => `${DRAFT}${process.pid}-${Math.floor(performance.timeOrigin)}-`;

/** A session has one writer, so what another process began here was left by a crash. */
function sweep(folder: string, files: Files): void {
  const left = files.list(folder).filter((name) => name.startsWith(DRAFT) && !name.startsWith(ownPrefix()));
  for (const name of left) orNull(() => files.remove(join(folder, name)));
}
