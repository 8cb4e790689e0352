/** Defines where a session and what belongs to it are stored: in files of this machine, in a database, or in memory. */

import type { BlobStore, FileOriginals, OpenOtherSession, SearchEntries } from "@pith/agent";
import type { Store } from "@pith/context/store";

export interface SessionStorage {
  readonly store: Store;
  /** The session's file. Absent if it has none. */
  readonly file?: string;
  /** Long outputs and images. */
  readonly blobs: BlobStore;
  /** The contents of files before the session changed them. Absent: files cannot be restored. */
  readonly originals?: FileOriginals;
  /** Searches the session for the tool `recall`. Absent: the agent has no such tool. */
  readonly search?: SearchEntries;
  /** Opens another session for `recall`. Absent: it searches only this one. */
  readonly openSession?: OpenOtherSession;
  /** Files outside Pith's home that belong to the session. No tool may read them. */
  readonly privatePaths?: readonly string[];
}
