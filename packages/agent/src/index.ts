/** The door `@pith/agent`: the loop that lets a model act, its tools, its permissions, and the ports to the place where it works. */

export { Agent, type Content } from "./agent.ts";
export type { AgentHooks, AgentParts, LimitsFor } from "./agent-parts.ts";
export { NotWritten } from "./append.ts";
export type { BlobDraft, BlobKept, BlobRead, Blobs } from "./blobs.ts";
export { pictureKind } from "./bytes/picture-kind.ts";
export { textOf } from "./bytes/text-of.ts";
export type { AgentEvent, Delta, Listen, RunEnd } from "./events.ts";
export { type ActParts, actsOn } from "./extending/acts-on.ts";
export { assembledExtensions } from "./extending/assembled-extensions.ts";
export type {
  CancelledOr,
  CommandContext,
  CompactWish,
  Extension,
  ExtensionApi,
  ExtensionCommand,
  ExtensionContext,
  ExtensionListener,
  ExtensionMessage,
  ExtensionRules,
  ExtensionTool,
  PaidBeside,
  Sending,
  SessionSight,
  UsageSight,
} from "./extending/extension.ts";
export type { EventOf, ExtensionEventName, ExtensionEvents, ResultOf } from "./extending/extension-events.ts";
export { type ExtensionUi, nobodyThere, type UiAsking } from "./extending/extension-ui.ts";
export type {
  CommandRan,
  ExtensionActs,
  ExtensionFailure,
  Extensions,
  HostAsked,
  LoadedExtension,
  NamedCommand,
  NamedExtension,
} from "./extending/extensions.ts";
export { type EventRow, type EventTable, extensionEventTable } from "./extending/hook-table.ts";
export type {
  CancelResult,
  ModelSelectEvent,
  ProjectTrustEvent,
  ProjectTrustResult,
  ResourcesDiscoverEvent,
  ResourcesDiscoverResult,
  SessionBeforeForkEvent,
  SessionBeforeSwitchEvent,
  SessionReason,
  SessionShutdownEvent,
  SessionStartEvent,
  ThinkingLevelSelectEvent,
  UiPromptEvent,
  UserBashEvent,
  UserBashResult,
} from "./extending/host-events.ts";
export type { AssemblyParts } from "./extending/put-together.ts";
export { DRAFT, draftAt } from "./handoff/draft.ts";
export type { HandedOff, IsThere } from "./handoff/hand-off.ts";
export { joinedHooks } from "./hooks/joined-hooks.ts";
export type { ProviderHooks } from "./hooks/provider-hooks.ts";
export type { BoundaryEntry, BoundaryResult, RunHooks } from "./hooks/run-hooks.ts";
export type { Compacted } from "./loop/fitting/compacted.ts";
export type {
  CompactionEvent,
  CompactionReason,
  CompactionResult,
  QualityFinding,
  SkipReason,
} from "./loop/fitting/compaction-events.ts";
export type { ModelSet } from "./loop/fitting/set-model.ts";
export { type Next, nextAt } from "./loop/next.ts";
export type { Deliveries, Delivery } from "./loop/queue/deliveries.ts";
export { type MemoryBlobsParts, memoryBlobs } from "./memory-blobs.ts";
export type { Rules } from "./permissions/decide.ts";
export { fetchesFreely } from "./permissions/fetches-freely.ts";
export { Permissions, type PermissionsParts, type RuleMemory } from "./permissions/permissions.ts";
export type { Act, Permit, Permits } from "./permissions/permit.ts";
export type { Answer, Ask, Question } from "./permissions/question.ts";
export { type DeniedPlaces, deniedPlaces } from "./permissions/rules/denied-places.ts";
export type { RuleMistake } from "./permissions/rules/mistake.ts";
export { type ParsedRule, parseRule, type Rule, type RuleWords } from "./permissions/rules/rule.ts";
export type { Ground, RealPath } from "./permissions/sight.ts";
export type { Mode } from "./permissions/table.ts";
export type { Beginning } from "./prompt/establish.ts";
export type { StateSection } from "./prompt/state-sections.ts";
export type { ProjectText } from "./prompt/system-message.ts";
export { redactedBlobs } from "./redacting/redacted-blobs.ts";
export { redactedSearch } from "./redacting/redacted-search.ts";
export { redactedShell } from "./redacting/redacted-shell.ts";
export { type Restoring, restoredFiles } from "./redacting/restored-files.ts";
export type { Originals } from "./rewind/originals.ts";
export type { PlannedFile, RewindParts, Verdict } from "./rewind/plan-rewind.ts";
export type { Rewound, RewoundFile } from "./rewind/rewind-files.ts";
export type { FoundSecret, Restored, Secrets, TextStream } from "./secrets.ts";
export type { Skill, SkillFiles, SkillText } from "./skills/skill.ts";
export type { Step } from "./step.ts";
export type { Intent, Leave, Tool, ToolCall, ToolOutput } from "./tool.ts";
export { type BashParts, type BashTool, bashTool } from "./tools/bash/bash.ts";
export type { Sandbox } from "./tools/bash/confinement.ts";
export { Said as CommandOutput } from "./tools/bash/output/said.ts";
export { type OutputLimit, outputLimit } from "./tools/bounds.ts";
export { fetchTool } from "./tools/fetch/fetch.ts";
export type { Web, WebAct, WebFailed, WebOpened, WebPage, WebRefused } from "./tools/fetch/web.ts";
export {
  type ChangeCall,
  type ChangedText,
  type ChangeParts,
  changedText,
} from "./tools/files/editing/changed-text.ts";
export { type Diffed, unifiedDiff } from "./tools/files/editing/unified-diff.ts";
export type { FileParts } from "./tools/files/file-parts.ts";
export { fileTools } from "./tools/files/file-tools.ts";
export { knownFiles } from "./tools/files/known-files.ts";
export { LARGEST_PICTURE } from "./tools/files/reading/picture.ts";
export { Reads } from "./tools/files/reads.ts";
export { searchTools } from "./tools/searching/search-tools.ts";
export type { Destination, Navigated } from "./tree/navigate.ts";
export type {
  FileRead,
  FileWritten,
  FindWish,
  Found,
  GrepHit,
  GrepWish,
  Held,
  ListedName,
  ReadAct,
  SearchAct,
  ShellAct,
  ShellEnd,
  Workspace,
  WorkspaceFiles,
  WorkspaceSearch,
  WorkspaceShell,
} from "./workspace.ts";
