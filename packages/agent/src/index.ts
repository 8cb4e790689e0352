/** Exports `@pith/agent`: the agent loop, its tools, permissions and extensions, and the ports to its workspace. */

export { Agent, type CompactRequest, type UserContent } from "./agent.ts";
export {
  type AgentHooks,
  type AgentOptions,
  type LimitsForModel,
  mergeHooks,
} from "./agent-options.ts";
export { AppendError } from "./append-entries.ts";
export type { SetModelResult } from "./compaction/auto-compact.ts";
export type {
  AgentCompactionOutcome,
  AgentEvent,
  AgentEventListener,
  CompactionEvent,
  CompactionReason,
  CompactionRefusal,
  CompactionResult,
  MessageDelta,
  QualityFinding,
  RunEnd,
  SkipReason,
} from "./events.ts";
export { createExtensionActions, type ExtensionActionOptions } from "./extensions/actions.ts";
export {
  type CancellableResult,
  type CommandContext,
  type CommandRegistration,
  type CommandRunResult,
  type ContextUsage,
  type Extension,
  type ExtensionActions,
  type ExtensionApi,
  type ExtensionCommand,
  type ExtensionCompactOptions,
  type ExtensionContext,
  type ExtensionFailure,
  type ExtensionInfo,
  type ExtensionListener,
  type ExtensionMessage,
  type ExtensionModule,
  type ExtensionRules,
  type Extensions,
  type ExtensionTool,
  type ExtensionUi,
  type ExtensionUsage,
  type HostEventName,
  headlessUi,
  type SendOptions,
  type SessionView,
  type UiPromptOptions,
} from "./extensions/api.ts";
export type { CreateExtensionsOptions } from "./extensions/assemble-extensions.ts";
export { createExtensions } from "./extensions/create-extensions.ts";
export {
  type CancelResult,
  type EventOf,
  type EventRow,
  type EventTable,
  type ExtensionEventName,
  type ExtensionEvents,
  extensionEventTable,
  type ModelSelectEvent,
  type ProjectTrustEvent,
  type ProjectTrustResult,
  type ResourcesDiscoverEvent,
  type ResourcesDiscoverResult,
  type ResultOf,
  type SessionBeforeForkEvent,
  type SessionBeforeSwitchEvent,
  type SessionReason,
  type SessionShutdownEvent,
  type SessionStartEvent,
  type ThinkingLevelSelectEvent,
  type UiPromptEvent,
  type UserBashEvent,
  type UserBashResult,
} from "./extensions/events.ts";
export type { BoundaryEntry, BoundaryResult, ProviderHooks, RunHooks } from "./hooks/hooks.ts";
export { type CallOutcome, readCallOutcome } from "./loop/tool-results.ts";
export { createMemoryBlobs, type MemoryBlobsOptions } from "./memory-blobs.ts";
export { DRAFT_TYPE, findDraft, findPendingWork, type PendingWork, wasStoppedByUser } from "./pending-work.ts";
export type { AuditRecord, AuditRule } from "./permissions/audit.ts";
export { isHarmlessRule } from "./permissions/classify-commands.ts";
export type { PermissionMode, PolicyLimits, Rules } from "./permissions/decide.ts";
export { type DeniedPaths, findDeniedPaths } from "./permissions/match-rules.ts";
export {
  allowsProviderSearch,
  Permissions,
  type PermissionsOptions,
  type RuleStore,
} from "./permissions/permissions.ts";
export {
  type AskPermission,
  type AskPermissionOptions,
  describeRule,
  type PermissionAnswer,
  type PermissionQuestion,
} from "./permissions/question.ts";
export type {
  CallPermissionCheck,
  CallPermissionResult,
  PermissionCheck,
  PermissionPaths,
  PermissionPathsInput,
  PermissionResult,
  PermitCallOptions,
  ResolveRealPath,
  ToolRequest,
} from "./permissions/request.ts";
export {
  type ParsedRule,
  type ParseRuleOptions,
  parseRule,
  type Rule,
  type RuleError,
  type RuleSource,
} from "./permissions/rules.ts";
export type {
  BlobStore,
  BlobWriteResult,
  BlobWriter,
  EntryHit,
  EntryQuery,
  FileOriginals,
  FileReadResult,
  FileWriteResult,
  FindBlobsResult,
  FindPathRestriction,
  FindQuery,
  FolderEntry,
  GrepHit,
  GrepQuery,
  NetworkConnection,
  OpenOtherSession,
  OpenOtherSessionResult,
  PathOptions,
  PathRestriction,
  PathUse,
  PortResult,
  ReadBlobResult,
  ReadOptions,
  RedactionStream,
  RestoreSecretsResult,
  SearchableSession,
  SearchEntries,
  SearchEntriesOptions,
  SearchEntriesResult,
  SearchOptions,
  SearchResult,
  SecretFinding,
  Secrets,
  ShellOptions,
  ShellResult,
  SkillFiles,
  Web,
  WebFailed,
  WebOptions,
  WebPage,
  WebRefused,
  WebResult,
  Workspace,
  WorkspaceFiles,
  WorkspaceSearch,
  WorkspaceShell,
} from "./ports.ts";
export type { SkillText } from "./prompt/attach-skills.ts";
export type { StateSection } from "./prompt/state-sections.ts";
export type { ProjectText, Skill, SystemPromptOptions } from "./prompt/system-prompt.ts";
export { redactBlobs, redactSearch, redactShell } from "./redact-output.ts";
export { restoreFilePaths, type SecretRestorer } from "./redaction.ts";
export type {
  CheckRestorePermission,
  PlannedFile,
  RestorePermission,
  RestoreVerdict,
  RewindFileResult,
  RewindOptions,
  RewindResult,
} from "./rewind-files.ts";
export type { QueueMode, QueueModes } from "./run-context.ts";
export type { RunCostLimit, RunLimits } from "./run-limits.ts";
export type { FileExists, HandOffResult } from "./session/handoff.ts";
export type { NavigateOptions, NavigateResult } from "./session/navigate.ts";
export { decodeText, detectImageType } from "./text.ts";
export type { ChangeIntent, GitSettingsChange, Intent, PermissionGrant, Tool, ToolCall, ToolOutput } from "./tool.ts";
export { type BashTool, type BashToolOptions, bashTool } from "./tools/bash/bash.ts";
export { CommandOutput } from "./tools/bash/command-output.ts";
export type { Login, LoginOptions, SecretSource } from "./tools/bash/command-secrets.ts";
export type { NetworkSetting } from "./tools/bash/input.ts";
export type { Sandbox, SandboxPorts } from "./tools/bash/result.ts";
export {
  type ChangeCall,
  type ChangePreview,
  type ChangePreviewOptions,
  previewChange,
} from "./tools/edit/edit.ts";
export { type DiffInput, unifiedDiff } from "./tools/edit/unified-diff.ts";
export { fetchTool } from "./tools/fetch/fetch.ts";
export {
  type FileToolOptions,
  findSeenFiles,
  type LineRange,
  REREAD_TYPE,
  ReadTracker,
  type RereadFile,
  type RereadOptions,
  readRereadFiles,
  readRereadTokens,
} from "./tools/file-access.ts";
export { type FitImageResult, fitImage, MAX_IMAGE_BYTES, MAX_IMAGE_SOURCE_BYTES } from "./tools/read/pages.ts";
export { type RecallToolOptions, recallTool } from "./tools/recall/recall.ts";
export { type DecodedFile, decodeFile } from "./tools/text-encoding.ts";
export { type OutputLimit, outputLimit } from "./tools/tool-io.ts";
export { fileTools, searchTools } from "./tools/tools.ts";
