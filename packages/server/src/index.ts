/** Exports `@pith/server`: sessions in PostgreSQL. */

export { createFileRemover } from "./agents/folders.ts";
export { type AgentOpenerOptions, createAgentOpener, type TenantConfiguration } from "./agents/open-agent.ts";
export { type AgentPolicy, createServer, type Server, type ServerOptions } from "./create-server.ts";
export type { HttpOptions } from "./http/app.ts";
export { parseLastEventId, type StreamOptions, streamEvents } from "./http/sse.ts";
export { type FollowOptions, type LiveFeed, type LiveFeedOptions, openLiveFeed } from "./live/feed.ts";
export type { LiveEvent, SessionStatus } from "./live/follower.ts";
export {
  type LivePublisher,
  type LivePublisherOptions,
  type LiveSession,
  openLivePublisher,
} from "./live/publisher.ts";
export { addDelta, type LiveDelta, type ReplyPart, type ReplyText } from "./live/reply-text.ts";
export { type BusySession, listBusySessions } from "./operate/work.ts";
export {
  acceptCommand,
  type CommandResult,
  type CommandState,
  readCommand,
  type SessionCommand,
} from "./runs/commands.ts";
export { type DbosWake, type DbosWakeOptions, migrateDbos, openDbosWake } from "./runs/dbos-wake.ts";
export { listParkedSessions, type ParkedSession, unparkSession } from "./runs/hold.ts";
export { acceptMessage, type Inbox, type MessageKind, type NewMessage } from "./runs/inbox.ts";
export type { WorkerIntervals } from "./runs/intervals.ts";
export { type KeyLimits, setKeyLimits, setTenantLimits, type TenantLimits } from "./runs/limits.ts";
export { answerQuestion, listQuestions, type OpenQuestion, type QuestionAnswer } from "./runs/questions.ts";
export type { HeldSession, OpenAgent, OpenedAgent } from "./runs/session-run.ts";
export { MemoryQueue, type RunSession, type Wake } from "./runs/wake.ts";
export { startWorker, type Worker, type WorkerOptions } from "./runs/worker.ts";
export { type ConnectOptions, connect, type Database, UnavailableError } from "./store/connect.ts";
export { type MigrateOptions, type MigrateResult, migrate } from "./store/migrate.ts";
export { PostgresBlobs, type PostgresBlobsOptions } from "./store/postgres-blobs.ts";
export { createSearch, type PostgresSearchOptions } from "./store/postgres-search.ts";
export type { PostgresStore, SessionRef } from "./store/postgres-store.ts";
export {
  createSession,
  type ListedSession,
  listSessions,
  type NewSession,
  type OpenSessionOptions,
  openSession,
  type SessionPage,
} from "./store/sessions.ts";
export { exportSession, type ImportOptions, type ImportResult, importSession } from "./store/transfer.ts";
export {
  type AuditEntry,
  type AuditQuery,
  type CallerAction,
  listAudit,
  recordAction,
} from "./tenants/audit.ts";
export {
  type ErasedFiles,
  type EraseOptions,
  type EraseResult,
  eraseSession,
  eraseTenant,
  type HoldTarget,
  type LegalHold,
  liftLegalHold,
  listLegalHolds,
  placeLegalHold,
  type RemoveFiles,
} from "./tenants/erasure.ts";
export {
  createKeyCipher,
  deleteProviderKey,
  type KeyCipher,
  type ListedKey,
  listProviderKeys,
  type ReadKeysOptions,
  type ReencryptResult,
  readProviderKeys,
  reencryptProviderKeys,
  type SetProviderKeyResult,
  setProviderKey,
} from "./tenants/provider-keys.ts";
export { createTenantReader, type OperatorConfiguration, type TenantReaderOptions } from "./tenants/read-tenant.ts";
export {
  readTenantSettings,
  type TenantSettings,
  type WriteSettingsResult,
  writeTenantSettings,
} from "./tenants/settings.ts";
export {
  authenticate,
  type Caller,
  type CreatedToken,
  createToken,
  type ListedToken,
  listTokens,
  type NewToken,
  revokeToken,
  rotateToken,
  type Scope,
} from "./tenants/tokens.ts";
