/** What the tools for files work with: the files, and what is kept of a session besides. */

import type { Entry, Redaction } from "@pith/context";
import type { Blobs } from "../../blobs.ts";
import type { Originals } from "../../rewind/originals.ts";
import type { WorkspaceFiles } from "../../workspace.ts";

export interface FileParts {
  readonly files: WorkspaceFiles;
  /** What `blob:<hash>` opens. */
  readonly blobs?: Blobs;
  /** What `entry:<id>` opens: any entry of the session, also one before a compaction or on another branch. */
  readonly entries?: (id: string) => Promise<Entry | undefined>;
  /** The name of the skill whose text lies at an absolute path; null for every other file. */
  readonly skillAt?: (path: string) => string | null;
  /** Texts are shown as they come out of it, whole before they are cut into pages. */
  readonly redaction?: Redaction | undefined;
  /** Without them what is replaced cannot be put back. */
  readonly originals?: Originals;
}
