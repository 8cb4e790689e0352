/** The port to what is kept beside a session: output too long for a context, each piece named by its content and opened by its handle. */

export interface Blobs {
  keep(bytes: Uint8Array): Promise<BlobKept>;
  /** For what comes piece by piece and is too much to be held in memory. */
  begin(): BlobDraft;
  /** A page of one; `size` is that of the whole. */
  read(hash: string, range: { readonly start: number; readonly end: number }): Promise<BlobRead>;
}

export interface BlobDraft {
  /** Takes a copy before it comes back. Beyond the quota nothing more is taken. */
  write(chunk: Uint8Array): void;
  keep(): Promise<BlobKept>;
  /** Nothing of it stays. Harmless after `keep`. */
  drop(): void;
}

export type BlobKept =
  /** `isWhole` is false where the quota was reached: the beginning was kept. */
  | { readonly type: "kept"; readonly hash: string; readonly bytes: number; readonly isWhole: boolean }
  | { readonly type: "unavailable"; readonly why: string };

export type BlobRead =
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly type: "none" | "changed" | "unavailable"; readonly why: string };
