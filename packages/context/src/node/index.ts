/** Exports `@pith/context/node`: the functions and types that need Node. */

export type { IndexProgress } from "../search/changed-files.ts";
export type { Hit, Snippet } from "../search/hits.ts";
export { type SearchOptions, type SearchResult, searchSessions } from "../search/search.ts";
export type { HitKind } from "../search/searchable-text.ts";
export { BLOB_QUOTA, type BlobWriteResult, BlobWriter } from "./blob-writer.ts";
export {
  type CopyBlobsResult,
  copyBlobs,
  type FindBlobsResult,
  findBlobs,
  type KeepBlobResult,
  keepBlob,
  type ReadBlobResult,
  readBlob,
  SPILL_LIMIT,
  type SpillImagesResult,
  spillImages,
} from "./blobs.ts";
export { diskErrorCode, type FileStat, type Files, type OpenFile, realFiles } from "./files.ts";
export type { Durability } from "./jsonl/append.ts";
export type { JsonlStore, StoreOptions } from "./jsonl/jsonl-store.ts";
export { createStore, type OpenOptions, type OpenResult, openStore } from "./jsonl/open-store.ts";
export type { LeaseOwner, ProcessTable } from "./process-owner.ts";
export { nodeRuntime } from "./runtime.ts";
export {
  type CloneResult,
  cloneSession,
  type ExportResult,
  exportForPi,
  type ForkResult,
  forkSession,
} from "./sessions/copy-session.ts";
export type { SessionItem } from "./sessions/list-item.ts";
export { listSessions } from "./sessions/list-sessions.ts";
export {
  listTrash,
  type RebindResult,
  type RestoreResult,
  rebindSession,
  restoreSession,
  type TrashItem,
  type TrashResult,
  trashSession,
} from "./sessions/move-session.ts";
export {
  pithHome,
  type SessionFileOptions,
  sessionCwd,
  sessionFolderName,
  sessionIdToFileName,
  sessionsFolder,
  trashFolder,
} from "./sessions/paths.ts";
export { type PurgeOptions, type PurgeResult, purgeSession } from "./sessions/purge-session.ts";
export {
  createSession,
  type FindSessionResult,
  findSession,
  type LabelResult,
  labelEntry,
  readSessionTotals,
  renameSession,
  type SessionTotalsResult,
} from "./sessions/sessions.ts";
