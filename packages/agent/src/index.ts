/** The door `@pith/agent`: exports the agent loop, its tools, its permissions, and the ports to its workspace. */

export { Agent, type Content } from "./agent.ts";
export { type AgentHooks, type AgentParts, joinedHooks, type LimitsFor, type StateSection } from "./agent-options.ts";
export { NotWritten } from "./append.ts";
export type { ModelSet } from "./compaction/auto-compact.ts";
export type {
  AgentEvent,
  Compacted,
  CompactionEvent,
  CompactionReason,
  CompactionRefused,
  CompactionResult,
  Delta,
  Listen,
  QualityFinding,
  RunEnd,
  SkipReason,
} from "./events.ts";
export { type ActParts, actsOn } from "./extensions/actions.ts";
export {
  type CancelledOr,
  type CommandContext,
  type CompactWish,
  type Extension,
  type ExtensionApi,
  type ExtensionCommand,
  type ExtensionContext,
  type ExtensionListener,
  type ExtensionMessage,
  type ExtensionRules,
  type ExtensionTool,
  type ExtensionUi,
  nobodyThere,
  type PaidBeside,
  type Sending,
  type SessionSight,
  type UiAsking,
  type UsageSight,
} from "./extensions/api.ts";
export { type EventRow, type EventTable, extensionEventTable } from "./extensions/event-docs.ts";
export type {
  CancelResult,
  EventOf,
  ExtensionEventName,
  ExtensionEvents,
  ModelSelectEvent,
  ProjectTrustEvent,
  ProjectTrustResult,
  ResourcesDiscoverEvent,
  ResourcesDiscoverResult,
  ResultOf,
  SessionBeforeForkEvent,
  SessionBeforeSwitchEvent,
  SessionReason,
  SessionShutdownEvent,
  SessionStartEvent,
  ThinkingLevelSelectEvent,
  UiPromptEvent,
  UserBashEvent,
  UserBashResult,
} from "./extensions/events.ts";
export type {
  CommandRan,
  ExtensionActs,
  ExtensionFailure,
  Extensions,
  HostAsked,
  LoadedExtension,
  NamedCommand,
  NamedExtension,
} from "./extensions/extensions.ts";
export { assembledExtensions } from "./extensions/lazy-load.ts";
export type { AssemblyParts } from "./extensions/load.ts";
export type { BoundaryEntry, BoundaryResult, ProviderHooks, RunHooks } from "./hooks/hooks.ts";
export { DRAFT, draftAt, type Next, nextAt } from "./loop/pending-work.ts";
export type { Deliveries, Delivery } from "./loop/run-context.ts";
export type { RunLimits } from "./loop/run-limits.ts";
export { type MemoryBlobsParts, memoryBlobs } from "./memory-blobs.ts";
export type { AuditRecord, AuditRule } from "./permissions/audit.ts";
export type { Limits, Mode, Rules } from "./permissions/decide.ts";
export { isHarmlessRule } from "./permissions/harmless-commands.ts";
export { type DeniedPlaces, deniedPlaces } from "./permissions/match-rules.ts";
export { fetchesFreely, Permissions, type PermissionsParts, type RuleMemory } from "./permissions/permissions.ts";
export { type Answer, type Ask, describeRule, type Question } from "./permissions/question.ts";
export type { Act, Ground, GroundParts, Permit, Permits, RealPath } from "./permissions/request.ts";
export {
  type ParsedRule,
  parseRule,
  type Rule,
  type RuleMistake,
  type RuleSource,
  type RuleWords,
} from "./permissions/rules.ts";
export type {
  BlobDraft,
  BlobKept,
  BlobRead,
  Blobs,
  BlobsFound,
  FileRead,
  FileWritten,
  FindWish,
  Found,
  FoundSecret,
  GrepHit,
  GrepWish,
  Held,
  ListedName,
  NetworkConnection,
  PortResult,
  ReadAct,
  Restored,
  SearchAct,
  Secrets,
  ShellAct,
  ShellEnd,
  Step,
  TextStream,
  Web,
  WebAct,
  WebFailed,
  WebOpened,
  WebPage,
  WebRefused,
  Workspace,
  WorkspaceFiles,
  WorkspaceSearch,
  WorkspaceShell,
} from "./ports.ts";
export type { Skill, SkillFiles, SkillText } from "./prompt/skill.ts";
export type { Beginning, ProjectText } from "./prompt/system-prompt.ts";
export { type Restoring, redactedBlobs, redactedSearch, redactedShell, restoredFiles } from "./redaction.ts";
export type { HandedOff, IsThere } from "./session/handoff.ts";
export type { Destination, Navigated } from "./session/navigate.ts";
export type {
  Originals,
  PermitRestore,
  PlannedFile,
  RestorePermit,
  RewindParts,
  Rewound,
  RewoundFile,
  Verdict,
} from "./session/rewind.ts";
export { pictureKind, textOf } from "./text.ts";
export type { Intent, Leave, Tool, ToolCall, ToolOutput } from "./tool.ts";
export { type BashParts, type BashTool, bashTool } from "./tools/bash/bash.ts";
export { Said as CommandOutput } from "./tools/bash/command-output.ts";
export type { Login, LoginWish, SecretSource } from "./tools/bash/command-secrets.ts";
export type { NetworkSetting } from "./tools/bash/input.ts";
export type { Sandbox, SandboxPorts } from "./tools/bash/result.ts";
export {
  type ChangeCall,
  type ChangedText,
  type ChangeParts,
  changedText,
} from "./tools/edit/edit.ts";
export { type Diffed, unifiedDiff } from "./tools/edit/unified-diff.ts";
export { fetchTool } from "./tools/fetch/fetch.ts";
export { type FileParts, knownFiles, Reads } from "./tools/files.ts";
export { type OutputLimit, outputLimit } from "./tools/output.ts";
export { LARGEST_PICTURE } from "./tools/read/pages.ts";
export { fileTools, searchTools } from "./tools/tools.ts";
