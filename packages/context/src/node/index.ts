/** Exports `@pith/context/node`: sessions in files, blobs and the Node runtime. It never loads SQLite. */

export { BLOB_QUOTA, BlobWriter } from "./blob-writer.ts";
export { findBlobs, keepBlob, readBlob } from "./blobs.ts";
export { diskErrorCode, realFiles, sidecarFolder } from "./files.ts";
export type { JsonlStore } from "./jsonl/jsonl-store.ts";
export { createStore, openStore } from "./jsonl/open-store.ts";
export { nodeRuntime } from "./runtime.ts";
export { cloneSession, exportForPi, forkSession } from "./sessions/copy-session.ts";
export type { SessionItem } from "./sessions/list-item.ts";
export { listSessions } from "./sessions/list-sessions.ts";
export { listTrash, rebindSession, restoreSession, type TrashItem, trashSession } from "./sessions/move-session.ts";
export { pithHome, sessionCwd, sessionFolderName, sessionIdToFileName, sessionsFolder } from "./sessions/paths.ts";
export { purgeSession } from "./sessions/purge-session.ts";
export {
  createSession,
  findSession,
  labelEntry,
  openSession,
  readSessionTotals,
  renameSession,
} from "./sessions/sessions.ts";
