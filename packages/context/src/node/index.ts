/** The door `@pith/context/node`: what needs a real machine. */

export { BLOB_QUOTA, BlobDraft, type DraftKeeping } from "./blobs/blob-draft.ts";
export {
  type BlobReading,
  type Copying,
  copyBlobs,
  type Keeping,
  keepBlob,
  readBlob,
} from "./blobs/blob-folder.ts";
export { SPILL_LIMIT, type Spilling, spilled } from "./blobs/spill.ts";
export { diskError, type FileStat, type Files, type OpenFile } from "./files/files.ts";
export { realFiles } from "./files/real-files.ts";
export type { JsonlStore, StoreParts } from "./jsonl/jsonl-store.ts";
export { createStore, type Opened, type Opening, openStore } from "./jsonl/open-store.ts";
export type { Durability } from "./jsonl/writing/log-file.ts";
export type { Owner, Processes } from "./lease/owner.ts";
export { machine } from "./machine.ts";
export type { Hit } from "./search/hits.ts";
export type { Progress } from "./search/indexing/pace.ts";
export type { HitKind } from "./search/indexing/searchable.ts";
export { type SearchParts, searchSessions } from "./search/search-sessions.ts";
export type { Searching } from "./search/searching.ts";
export type { Snippet } from "./search/snippet.ts";
export { type Cloning, cloneSession } from "./sessions/clone-session.ts";
export { createSession } from "./sessions/create-session.ts";
export { type Exporting, exportForPi } from "./sessions/export-for-pi.ts";
export { type Finding, findSession } from "./sessions/find-session.ts";
export { folderName } from "./sessions/folder-name.ts";
export { type Forking, forkSession } from "./sessions/fork-session.ts";
export { type HomeParts, pithHome, sessionsFolder, trashFolder } from "./sessions/home.ts";
export { type Labelled, labelEntry } from "./sessions/label-entry.ts";
export { listSessions } from "./sessions/list-sessions.ts";
export type { SessionItem } from "./sessions/listing/list-item.ts";
export { cwdOf } from "./sessions/placing/new-place.ts";
export { idAsName } from "./sessions/placing/session-id.ts";
export { type PurgePlan, type Purging, purgeSession } from "./sessions/purging/purge-session.ts";
export { type Rebinding, rebindSession } from "./sessions/rebind-session.ts";
export { renameSession } from "./sessions/rename-session.ts";
export { type TotalsOf, totalsOf } from "./sessions/totals-of.ts";
export {
  listTrash,
  type Restoring,
  restoreSession,
  type TrashedSession,
  type Trashing,
  trashSession,
} from "./sessions/trash-session.ts";
