/** Where the agent works: the files of this folder, a shell that is held where this machine can hold it, searches and the web. */

import { join } from "node:path";
import {
  type Blobs,
  fetchTool,
  fileTools,
  memoryBlobs,
  type RewindParts,
  redactedBlobs,
  redactedSearch,
  restoredFiles,
  searchTools,
  type Tool,
  type WorkspaceFiles,
} from "@pith/agent";
import { nodeFiles, nodeSearch, nodeWeb, originalsFolder, sessionBlobs } from "@pith/agent/node";
import type { Session } from "@pith/context";
import { idAsName } from "@pith/context/node";
import { type BashPlace, bashHere } from "./bash-here.ts";
import { readsOf } from "./reads-of.ts";

export interface WorkplaceParts extends BashPlace {
  readonly session: Session;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** The name of the skill whose text lies there; null for every other file. */
  readonly skillAt: (path: string) => string | null;
}

export interface Workplace {
  readonly tools: readonly Tool[];
  readonly files: WorkspaceFiles;
  readonly blobs: Blobs;
  /** Absent where nothing is kept, so that nobody will go back. */
  readonly rewind?: RewindParts;
  readonly notes: readonly string[];
  /** Ends all that runs by itself. */
  readonly close: () => Promise<void>;
}

export async function workplace(parts: WorkplaceParts): Promise<Workplace> {
  const { cwd, home, session, sessionPath, choices, vault } = parts;
  const files = nodeFiles({ root: cwd });
  // As the log calls them.
  const named = vault ? restoredFiles(files, vault) : files;
  const redaction = vault ?? undefined;
  const whole = sessionPath === null ? memoryBlobs() : sessionBlobs(sessionPath);
  const blobs = vault ? redactedBlobs(whole, vault) : whole;
  const kept =
    sessionPath === null
      ? {}
      : { originals: originalsFolder(join(home, "restore", idAsName(session.store.header.id))) };
  const reads = readsOf(session, named.resolve);
  const entries = session.store.entry.bind(session.store);
  const { bash, notes } = await bashHere(parts, blobs);
  const found = nodeSearch({ root: cwd, ...(await ripgrep(choices.tools)) });
  const search = vault ? redactedSearch(found, vault) : found;
  const tools = [
    ...fileTools({ files, blobs, entries, redaction, skillAt: parts.skillAt, ...kept }, reads),
    bash,
    ...searchTools({ files, search }),
    fetchTool(nodeWeb({ allowedHosts: choices.fetchHosts ?? [] }), { redaction }),
  ];
  const rewind = kept.originals && { rewind: { files: named, originals: kept.originals } };
  return { tools, files, blobs, ...rewind, notes, close: () => bash.dispose() };
}

/** Comes with the program where its package could be installed; else the one of the machine, else a walk. */
async function ripgrep(tools: readonly string[] = []): Promise<{ readonly ripgrep?: string }> {
  if (!tools.some((name) => ["all", "grep", "find"].includes(name))) return {};
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}
