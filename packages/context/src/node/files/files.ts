/** The disk as a session needs it: a handful of acts, each a single step, so that a test can make any one of them fail. */

export interface Files {
  /** An existing file; a symbolic link is refused. */
  open(path: string, how: "read" | "append"): OpenFile;
  /** A new file for its owner alone, open for appending; refused where anything has that name. */
  create(path: string): OpenFile;
  /** Of the path itself, links not followed; null where nothing is. */
  stat(path: string): FileStat | null;
  /** The names in a folder; none where there is no folder. */
  list(folder: string): readonly string[];
  /** With the folders above it, each for its owner alone; one that is there stays as it is. */
  makeFolder(path: string): void;
  /** Replaces what has the new name. */
  rename(from: string, to: string): void;
  /** A second name for a file; refused where anything has that name. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Makes names in a folder survive a power cut: what was created, renamed and removed there. */
  syncFolder(path: string): void;
}

export interface OpenFile {
  /** How many bytes were read; fewer only at the end. */
  read(into: Uint8Array, position: number): number;
  /** Writes at the end, wherever that is by now; how many bytes arrived. */
  append(bytes: Uint8Array): number;
  truncate(size: number): void;
  /** Returns when all that was written would survive a power cut. */
  sync(): void;
  stat(): FileStat;
  close(): void;
}

export interface FileStat {
  readonly kind: "file" | "folder" | "other";
  /** Two names of one file have the same; a file that took another's place has another. */
  readonly identity: string;
  readonly size: number;
  /** Milliseconds since 1970; for people and caches, never for order. */
  readonly modified: number;
  /** Its owner may not write it. */
  readonly readOnly?: boolean;
}

/** Writes all of it, however little arrives at a time. */
export function appendAll(file: OpenFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += file.append(done === 0 ? bytes : bytes.subarray(done));
}

/** What a look finds; null where nothing is. */
export function orNothing<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(diskError(error))) return null;
    throw error;
  }
}

/** The system's name for what went wrong (`ENOSPC`, `EIO` …); empty if it was not the disk. */
export function diskError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "";
}
