/** What the tools for files work with: the files, and what is kept of a session besides. */

import type { Entry } from "@pith/context";
import type { Blobs } from "../../blobs.ts";
import type { Originals } from "../../rewind/originals.ts";
import type { WorkspaceFiles } from "../../workspace.ts";

export interface FileParts {
  readonly files: WorkspaceFiles;
  /** What `blob:<hash>` opens. */
  readonly blobs?: Blobs;
  /** What `entry:<id>` opens: any entry of the session, also one before a compaction or on another branch. */
  readonly entries?: (id: string) => Promise<Entry | undefined>;
  /** Without them what is replaced cannot be put back. */
  readonly originals?: Originals;
}
