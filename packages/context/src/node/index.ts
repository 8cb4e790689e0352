/** Exports `@pith/context/node`: the functions and types that need Node. */

export type { Progress } from "../search/changed-files.ts";
export type { Hit, Snippet } from "../search/hits.ts";
export { type Searching, type SearchParts, searchSessions } from "../search/search.ts";
export type { HitKind } from "../search/searchable-text.ts";
export { BLOB_QUOTA, BlobDraft, type DraftKeeping } from "./blob-writer.ts";
export {
  type BlobFinding,
  type BlobReading,
  type Copying,
  copyBlobs,
  findBlobs,
  type Keeping,
  keepBlob,
  readBlob,
  SPILL_LIMIT,
  type Spilling,
  spilled,
} from "./blobs.ts";
export { diskError, type FileStat, type Files, type OpenFile, realFiles } from "./files.ts";
export type { Durability } from "./jsonl/append.ts";
export type { JsonlStore, StoreParts } from "./jsonl/jsonl-store.ts";
export { createStore, type Opened, type Opening, openStore } from "./jsonl/open-store.ts";
export type { Owner, Processes } from "./process-owner.ts";
export { machine } from "./runtime.ts";
export {
  type Cloning,
  cloneSession,
  type Exporting,
  exportForPi,
  type Forking,
  forkSession,
} from "./sessions/copy-session.ts";
export type { SessionItem } from "./sessions/list-item.ts";
export { listSessions } from "./sessions/list-sessions.ts";
export {
  listTrash,
  type Rebinding,
  type Restoring,
  rebindSession,
  restoreSession,
  type TrashedSession,
  type Trashing,
  trashSession,
} from "./sessions/move-session.ts";
export {
  cwdOf,
  folderName,
  type HomeParts,
  idAsName,
  pithHome,
  sessionsFolder,
  trashFolder,
} from "./sessions/paths.ts";
export { type PurgePlan, type Purging, purgeSession } from "./sessions/purge-session.ts";
export {
  createSession,
  type Finding,
  findSession,
  type Labelled,
  labelEntry,
  renameSession,
  type TotalsOf,
  totalsOf,
} from "./sessions/sessions.ts";
