/** Exports `@pith/context`: sessions, the context at a leaf, and compaction. */

export {
  type BranchSummaryOutcome,
  collectEntriesForBranchSummary,
  type OldBranch,
} from "./branches/generate-branch-summary.ts";
export { type MoveResult, moveTo } from "./branches/move.ts";
export type {
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionTreeEvent,
  TreeHooks,
  TreePreparation,
} from "./branches/tree-hooks.ts";
export { type Budget, createBudget } from "./compaction/budget.ts";
export type { CompactionOutcome } from "./compaction/compact.ts";
export type {
  CompactionPlan,
  NoCompaction,
  SummarizeOptions,
  Summarizer,
  SummarizerResult,
  SummaryCandidate,
} from "./compaction/plan.ts";
export { type Finding, type Receipt, readReceipt } from "./compaction/receipt.ts";
export { type CompactionSettings, compactionDue, shouldCompact } from "./compaction/should-compact.ts";
export type { SummaryPart } from "./compaction/summary-message.ts";
export { redoCompaction, type UndoResult, undoCompaction } from "./compaction/undo.ts";
export type {
  CompactionHooks,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionCompactEvent,
  SessionCompactFailedEvent,
} from "./compaction-hooks/compaction-hooks.ts";
export type { CompactionPreparation } from "./compaction-hooks/hook-preparation.ts";
export { buildSessionContext } from "./context/build-context.ts";
export { buildRequest } from "./context/build-request.ts";
export {
  applyContextHooks,
  type ContextEvent,
  type ContextHooks,
  type ContextResult,
} from "./context/context-hooks.ts";
export { type ContextSize, calculateContextTokens, contextSize } from "./context/context-size.ts";
export { convertToLlm } from "./context/convert-to-llm.ts";
export {
  type CompactionPreview,
  compact,
  compactIfNeeded,
  previewCompaction,
} from "./default-compaction.ts";
export type {
  BranchSummaryDetails,
  BranchSummaryEntry,
  CompactionDetails,
  CompactionEntry,
  CustomMessageEntry,
  Entry,
  GapEntry,
  Header,
  MessageEntry,
  SessionEntryBase,
  UsageEntry,
} from "./entry.ts";
export type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  Cost,
  CustomMessage,
  ImageBlock,
  Message,
  StopReason,
  SystemMessage,
  TextBlock,
  ThinkingBlock,
  ThinkingLevel,
  Tool,
  ToolCallBlock,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";
export type {
  CacheMark,
  Model,
  ModelEvent,
  ModelFailure,
  ModelName,
  Request,
  StreamOptions,
  SystemSection,
  ToolChoice,
  TransportOptions,
} from "./model.ts";
export {
  type CompactionResult,
  estimateTokens,
  findCutPoint,
  generateBranchSummary,
  generateSummary,
  prepareBranchEntries,
  prepareCompaction,
} from "./pi-calls.ts";
export type { Runtime } from "./runtime.ts";
export type { LoadedBranch } from "./session/loaded-branch.ts";
export { MemoryStore } from "./session/memory-store.ts";
export { type NewEntry, type Redaction, Session } from "./session/session.ts";
export { type AppendResult, refusalNotes } from "./session/store.ts";
export { type CompactionLimits, compactionLimits } from "./settings.ts";
export {
  SUMMARIZATION_PROMPT,
  SUMMARIZATION_SYSTEM_PROMPT,
  TURN_PREFIX_SUMMARIZATION_PROMPT,
  UPDATE_SUMMARIZATION_PROMPT,
} from "./summary/prompts.ts";
export { serializeConversation } from "./summary/transcript.ts";
export { defaultParts } from "./summary-parts/default-parts.ts";
export { modelSummarizer } from "./summary-parts/model-summarizer.ts";
export { pinEntry, pinText, unpin } from "./summary-parts/pins.ts";
export { messageTokens, textTokens } from "./tokens/estimate-tokens.ts";
