/** The file of a session, open for appending: every write is whole and on disk before it counts, or it is taken back. */

import type { Refusal } from "../../session/store.ts";
import { diskError, type Files, type OpenFile } from "../files/files.ts";

/** `durable` waits for the disk at every append; `fast` at most a second later, and when asked to. */
export type Durability = "durable" | "fast";

export class LogFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly #files: Files;
  readonly #identity: string;
  /** How many bytes of the file are known. */
  #size: number;
  /** Set once the disk has failed: what a failed sync left behind nobody knows, so it is never tried again. */
  #broken: Refusal | null = null;
  #unsynced = 0;

  constructor(path: string, file: OpenFile, files: Files) {
    const { identity, size } = file.stat();
    this.path = path;
    this.file = file;
    this.#files = files;
    this.#identity = identity;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Lines written since the disk was last waited for. */
  get unsynced(): number {
    return this.#unsynced;
  }

  /** What has happened to the file since we last looked. */
  news(): "none" | "grown" | Refusal {
    if (this.#broken) return this.#broken;
    const found = this.#files.stat(this.path);
    if (found === null) return "file-removed";
    if (found.identity !== this.#identity) return "file-replaced";
    if (found.size < this.#size) return "file-shortened";
    if (found.readOnly) return "not-writable";
    return found.size > this.#size ? "grown" : "none";
  }

  /** Takes note of what another hand has added. */
  acknowledge(): void {
    this.#size = this.file.stat().size;
  }

  /** Writes behind all that is there; `strayed` if another hand wrote at the same time. */
  append(
    bytes: Uint8Array,
    { lines, durability }: { readonly lines: number; readonly durability: Durability },
  ): Written {
    if (this.#broken) return { type: "refused", why: this.#broken };
    const before = this.#size;
    try {
      for (let done = 0; done < bytes.length; ) done += this.file.append(done === 0 ? bytes : bytes.subarray(done));
    } catch (error) {
      return this.#takenBack(before, error);
    }
    this.#size = this.file.stat().size;
    this.#unsynced += lines;
    if (durability === "durable" && !this.sync()) return { type: "refused", why: "disk-error" };
    return { type: "written", offset: before, strayed: this.#size !== before + bytes.length };
  }

  /** Waits for the disk; false, and for ever read-only, if it fails. */
  sync(): boolean {
    if (this.#broken) return false;
    if (this.#unsynced === 0) return true;
    try {
      this.file.sync();
      this.#unsynced = 0;
      return true;
    } catch (error) {
      this.#breakBy(error);
      return false;
    }
  }

  /** Cuts off what was torn; the caller has set it aside. */
  shorten(size: number): void {
    this.file.truncate(size);
    this.#size = size;
  }

  // D5: a line that did not fit is taken back, so that the next one does not stick to its remains.
  #takenBack(size: number, error: unknown): Written {
    try {
      this.file.truncate(size);
      this.#size = size;
    } catch (second) {
      this.#breakBy(second);
    }
    if (NO_ROOM.includes(diskError(error))) return { type: "refused", why: this.#broken ?? "disk-full" };
    this.#breakBy(error);
    return { type: "refused", why: "disk-error" };
  }

  #breakBy(error: unknown): void {
    if (diskError(error) === "") throw error;
    this.#broken = "disk-error";
  }
}

export type Written =
  | { readonly type: "written"; readonly offset: number; readonly strayed: boolean }
  | { readonly type: "refused"; readonly why: Refusal };

const NO_ROOM = ["ENOSPC", "EDQUOT", "EFBIG"];
