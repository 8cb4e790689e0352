/** Exports `@pith/context`: sessions, the context at any leaf, and its compaction. */

export type { BranchSummaryOptions } from "./branches/left-branch.ts";
export { type MoveResult, type MoveToOptions, moveTo } from "./branches/move.ts";
export {
  type BranchPreparation,
  type BranchSummaryResult,
  type GenerateBranchSummaryOptions,
  generateBranchSummary,
  prepareBranchEntries,
} from "./branches/pi-calls.ts";
export {
  type BranchSelection,
  type BranchSummary,
  type BranchSummaryOutcome,
  type BranchSummaryRequest,
  collectEntriesForBranchSummary,
  type OldBranch,
} from "./branches/summarize-branch.ts";
export type {
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionTreeEvent,
  TreeHooks,
  TreePreparation,
} from "./branches/tree-hooks.ts";
export {
  createHookEntryParser,
  type HookEntry,
  hookTokenAllowance,
  parseDetails,
  parseUsage,
} from "./compaction/added-entries.ts";
export {
  type Budget,
  type BudgetInput,
  type CompactionSettings,
  createBudget,
  type ReductionLevel,
  reductionLevels,
  shouldCompact,
} from "./compaction/budget.ts";
export { type CompactionPreview, previewCompaction } from "./compaction/choose-plan.ts";
export type { CompactionOutcome, CompactOptions } from "./compaction/compact.ts";
export {
  type AddedContext,
  type CompactionHooks,
  type CompactionPreparation,
  type CompactReason,
  type FileOperations,
  type HookCompaction,
  POSTPONE_TYPE,
  type SessionBeforeCompactEvent,
  type SessionBeforeCompactResult,
  type SessionCompactEvent,
  type SessionCompactFailedEvent,
} from "./compaction/compaction-hooks.ts";
export type { CutPoint, CutPointOptions } from "./compaction/cut-point.ts";
export { measureInSteps } from "./compaction/measure-in-steps.ts";
export { type ModelSummarizerOptions, modelSummarizer } from "./compaction/model-summarizer.ts";
export {
  type CompactionResult,
  type CutPointResult,
  compact,
  estimateTokens,
  findCutPoint,
  generateSummary,
  prepareCompaction,
} from "./compaction/pi-calls.ts";
export { pinEntry, pinText, unpin } from "./compaction/pins.ts";
export type {
  CallUsage,
  CompactionPlan,
  NoCompaction,
  PrepareCompactionResult,
  SummarizeOptions,
  Summarizer,
  SummarizerResult,
  SummaryCandidate,
} from "./compaction/plan.ts";
export {
  type CompactionTrigger,
  type EntryRange,
  type Finding,
  type Receipt,
  readReceipt,
} from "./compaction/receipt.ts";
export { computeReplyBudget, type ReplyBudgetOptions } from "./compaction/reply-room.ts";
export {
  type Breaker,
  type BreakerCause,
  breakerNotes,
  type CompactionDue,
  compactionDue,
  findBreaker,
  fitsWithoutCounting,
} from "./compaction/should-compact.ts";
export { redoCompaction, type UndoResult, undoCompaction } from "./compaction/undo.ts";
export {
  type Attachment,
  attachImage,
  attachText,
  describeAttachment,
  displayText,
  editableText,
  type MessageParts,
  readAttachmentMark,
  readTypedText,
  splitContent,
} from "./context/attachments.ts";
export { buildSessionContext, type SessionContext } from "./context/build-context.ts";
export { buildRequest, mergeSystemMessages, type RequestOptions } from "./context/build-request.ts";
export {
  applyContextHooks,
  type ContextEvent,
  type ContextHookResult,
  type ContextHooks,
  type ContextResult,
  type ContextWithSystemEvent,
} from "./context/context-hooks.ts";
export {
  type Calibration,
  type ContextSize,
  collectCalibration,
  contextSize,
  findCalibration,
  type ModelCalibration,
} from "./context/context-size.ts";
export { convertToLlm } from "./context/convert-to-llm.ts";
export { DAMAGE_TYPE, damageNote, mayBeLostMessage, TORN_END_NOTE } from "./context/damage-note.ts";
export { calculateContextTokens } from "./context/entry-size.ts";
export { type Author, authorOf, entryText, splitUserEntry } from "./context/entry-text.ts";
export {
  collectLoadedSkills,
  findMissingSkills,
  type LoadedSkill,
  readLoadedSkill,
  type SessionSkill,
  SKILL_LIST_TYPE,
} from "./context/loaded-skills.ts";
export {
  readSummaryParts,
  readSummaryPartTexts,
  type SummaryPartInfo,
  type SummaryPartKind,
} from "./context/summary-parts.ts";
export type * from "./entry.ts";
export {
  BRANCH_USAGE,
  BREAKER_TYPE,
  COMPACTION_USAGE,
  ENVIRONMENT_TYPE,
  MOVE_TYPE,
  PIN_TYPE,
  RETRY_USAGE,
  STATE_TYPE,
  UNPIN_TYPE,
} from "./entry.ts";
export { crashDamageKinds, type Damage, type DamageKind, damageNotes, harmlessDamageKinds } from "./format/damage.ts";
export { serializeEntry } from "./format/entry-line.ts";
export type { EntryLine } from "./format/link-entries.ts";
export {
  createHeader,
  decodeSession,
  encodeSession,
  type SessionFile,
  type SessionOrigin,
} from "./format/session-file.ts";
export {
  continueOnFailure,
  createPausableSleep,
  type Hook,
  type HookFailure,
  type HookHost,
  type HookResults,
  type RunHooksOptions,
  reportHookFailure,
  runHooks,
} from "./hooks.ts";
export type { Ledger } from "./ledger/ledger.ts";
export {
  collectFileLists,
  type FileLists,
  type FileTouch,
  fileTouches,
  type ToolRole,
  type ToolRoles,
} from "./ledger/touched-files.ts";
export type * from "./message.ts";
export type * from "./model.ts";
export { blobReference, entryReference, MIN_BLOB_DIGITS, removeCitations } from "./references.ts";
export type * from "./runtime.ts";
export { type GuardedResult, type GuardOptions, runGuarded } from "./runtime.ts";
export {
  type BlobBlock,
  type BlobInfo,
  collectBlobs,
  createBlobBlock,
  inlineBlobs,
  isBlobHash,
  parseBlobBlock,
} from "./session/blobs.ts";
export type { ForkOptions } from "./session/fork.ts";
export {
  appendToBranch,
  branchLeaf,
  emptyBranch,
  type LoadedBranch,
  loadBranch,
  loadBranchFrom,
} from "./session/loaded-branch.ts";
export { MemoryStore } from "./session/memory-store.ts";
export {
  type BusyReason,
  type MoveOptions,
  type NewEntry,
  noRedaction,
  type Redaction,
  Session,
  type SessionOptions,
} from "./session/session.ts";
export {
  initialSessionState,
  type Pin,
  QUEUE_TYPE,
  type QueuedMessage,
  reduceState,
  type SessionState,
  UNQUEUE_TYPE,
} from "./session/state.ts";
export {
  type AppendGuard,
  type AppendResult,
  isEditable,
  type Refusal,
  refusalNotes,
  type Store,
  validateBatch,
} from "./session/store.ts";
export {
  type CompactionLimits,
  compactionLimits,
  createSummaryTimeouts,
  type FormatLimits,
  formatLimits,
  type SummaryTimeouts,
  type Threshold,
  type TokenShare,
  type TokensOrShare,
  timeouts,
} from "./settings.ts";
export type { AskFailure, ModelCall, OnProgress, SummaryProgress } from "./summary/ask-model.ts";
export type { GenerateSummaryOptions, SummaryFailure, SummaryResult } from "./summary/generate-summary.ts";
export {
  BRANCH_SUMMARY_PROMPT,
  SUMMARIZATION_PROMPT,
  SUMMARIZATION_SYSTEM_PROMPT,
  TURN_PREFIX_SUMMARIZATION_PROMPT,
  UPDATE_SUMMARIZATION_PROMPT,
} from "./summary/prompts.ts";
export type { TimeLimit } from "./summary/time-limit.ts";
export { renderTranscript, serializeConversation, type TranscriptBlock } from "./summary/transcript.ts";
export { sanitizeLine } from "./text/sanitize.ts";
export { messageTokens, requestTokens, textTokens } from "./tokens/estimate-tokens.ts";
export { branchEntries, buildTree, collectLabels, commonAncestor, type Tree } from "./tree.ts";
export {
  addToTotals,
  addUsage,
  type SessionTotals,
  type UsageByPurpose,
  usageOfEntry,
  zeroTotals,
  zeroUsage,
} from "./usage.ts";
