/** Exports `@pith/context`: sessions, the context at any leaf, and its compaction. */

export type { WantedSummary } from "./branches/left-branch.ts";
export { type Moved, type MoveParts, moveTo } from "./branches/move.ts";
export {
  type BranchPreparation,
  type BranchSummaryResult,
  type GenerateBranchSummaryOptions,
  generateBranchSummary,
  prepareBranchEntries,
} from "./branches/pi-calls.ts";
export {
  type BranchSummarised,
  type BranchSummaryParts,
  collectEntriesForBranchSummary,
  type LeftBranch,
  type PreparedBranch,
  type ToldBranch,
} from "./branches/summarize-branch.ts";
export type {
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionTreeEvent,
  TreeHooks,
  TreePreparation,
} from "./branches/tree-hooks.ts";
export { type Added, addingUpTo, jsonDetails, roomForHooks, usageIn } from "./compaction/added-entries.ts";
export {
  type Budget,
  budgetFor,
  type CompactionSettings,
  type Rung,
  rungs,
  type Setting,
  shouldCompact,
} from "./compaction/budget.ts";
export { type Preview, previewCompaction } from "./compaction/choose-plan.ts";
export type { Compaction, CompactParts } from "./compaction/compact.ts";
export {
  type AddedContext,
  type CompactionHooks,
  type CompactionPreparation,
  type CompactReason,
  type FileOperations,
  type HookCompaction,
  POSTPONED,
  type SessionBeforeCompactEvent,
  type SessionBeforeCompactResult,
  type SessionCompactEvent,
  type SessionCompactFailedEvent,
} from "./compaction/compaction-hooks.ts";
export type { Cut, CutParts } from "./compaction/cut-point.ts";
export { measureInSteps } from "./compaction/measure-in-steps.ts";
export { type ModelWriting, modelWriter } from "./compaction/model-summarizer.ts";
export {
  type CompactionResult,
  type CutPointResult,
  compact,
  estimateTokens,
  findCutPoint,
  generateSummary,
  prepareCompaction,
} from "./compaction/pi-calls.ts";
export { pinEntry, pinWords, unpin } from "./compaction/pins.ts";
export type {
  Candidate,
  NothingToDo,
  Paid,
  Plan,
  Prepared,
  WriteAct,
  Writer,
  Written,
} from "./compaction/plan.ts";
export { type Finding, type Reason, type Receipt, receiptOf, type Stretch } from "./compaction/receipt.ts";
export { type ReplyRoomParts, replyRoom } from "./compaction/reply-room.ts";
export {
  type Breaker,
  breakerAt,
  breakerNotes,
  type Due,
  due,
  type Filling,
  surelyFits,
} from "./compaction/should-compact.ts";
export { redoCompaction, type Undone, undoCompaction } from "./compaction/undo.ts";
export {
  type Attachment,
  attachImage,
  attachText,
  describeAttachment,
  displayText,
  editableText,
  type MessageParts,
  markOf,
  splitContent,
  typedText,
} from "./context/attachments.ts";
export { buildSessionContext, type SessionContext } from "./context/build-context.ts";
export { buildRequest, foldedSystem, type RequestParts } from "./context/build-request.ts";
export {
  type ContextEvent,
  type ContextHooks,
  type ContextResult,
  type ContextWithSystemEvent,
  type Hooked,
  hookedContext,
} from "./context/context-hooks.ts";
export {
  type Calibration,
  type ContextSize,
  calibrationAt,
  contextSize,
  type Fit,
  fitOf,
} from "./context/context-size.ts";
export { convertToLlm } from "./context/convert-to-llm.ts";
export { DAMAGE, damageNote, mayBeLostMessage, TORN_END_NOTE } from "./context/damage-note.ts";
export { calculateContextTokens } from "./context/entry-size.ts";
export { entryWords, type Provenance, provenance, userParts } from "./context/entry-text.ts";
export {
  LISTED,
  type LoadedReference,
  loadedReferences,
  missingReferences,
  type Reference,
  referenceOf,
} from "./context/loaded-skills.ts";
export { type FrontKind, type FrontPart, frontParts, frontTexts } from "./context/summary-parts.ts";
export type * from "./entry.ts";
export { BRANCH_USAGE, BREAKER, COMPACTION_USAGE, ENVIRONMENT, MOVE, PIN, RETRY_USAGE, STATE, UNPIN } from "./entry.ts";
export { type Damage, type DamageKind, damageNotes, harmlessDamage, tornDamage } from "./format/damage.ts";
export { entryText } from "./format/entry-line.ts";
export type { Line } from "./format/link-entries.ts";
export { decodeSession, encodeSession, newHeader, type Origin, type SessionFile } from "./format/session-file.ts";
export {
  type Answers,
  type Asking,
  afterwards,
  answersOf,
  type Hook,
  type HookFailure,
  type HookHost,
  reportTo,
  unhurried,
} from "./hooks.ts";
export type { Ledger } from "./ledger/ledger.ts";
export {
  type FileTouch,
  fileTouches,
  type ToolRole,
  type ToolRoles,
  type TouchedFiles,
  touchedFiles,
} from "./ledger/touched-files.ts";
export type * from "./message.ts";
export type * from "./model.ts";
export { BLOB_DIGITS, blobReference, entryReference, removeCitations } from "./references.ts";
export type * from "./runtime.ts";
export { type Attempt, type Attempted, attempted } from "./runtime.ts";
export {
  type BlobBlock,
  blobBlock,
  blobOf,
  blobsIn,
  isBlobHash,
  type KeptBlob,
  withInlined,
} from "./session/blobs.ts";
export type { ForkPlan } from "./session/fork.ts";
export { emptyWindow, extended, leafOf, type Window, windowAt, windowOf } from "./session/loaded-branch.ts";
export { MemoryStore } from "./session/memory-store.ts";
export {
  asItIs,
  type Drafted,
  type Moving,
  type Occupation,
  type Redaction,
  Session,
  type SessionParts,
} from "./session/session.ts";
export { type Carried, carry, nothingCarried, type Pin, QUEUED, type Queued, UNQUEUED } from "./session/state.ts";
export {
  type Appended,
  checkBatch,
  type Fence,
  isEditable,
  type Refusal,
  refusalNotes,
  type Store,
} from "./session/store.ts";
export {
  type Amount,
  type CompactionLimits,
  compactionLimits,
  type FormatLimits,
  formatLimits,
  patience,
  type SummaryTime,
  summaryTimeFor,
  type Threshold,
  type TokensOrShare,
} from "./settings.ts";
export type { AskFailure, Call, Progress, TellProgress } from "./summary/ask-model.ts";
export type { Summarised, SummaryFailure, SummaryParts } from "./summary/generate-summary.ts";
export {
  BRANCH_SUMMARY_PROMPT,
  SUMMARIZATION_PROMPT,
  SUMMARIZATION_SYSTEM_PROMPT,
  TURN_PREFIX_SUMMARIZATION_PROMPT,
  UPDATE_SUMMARIZATION_PROMPT,
} from "./summary/prompts.ts";
export type { TimeLimit } from "./summary/time-limit.ts";
export { serializeConversation, type TranscriptBlock, transcriptOf } from "./summary/transcript.ts";
export { plainText } from "./text/sanitize.ts";
export { messageTokens, requestTokens, textTokens } from "./tokens/estimate-tokens.ts";
export { branch, commonAncestor, labels, type Tree, treeOf } from "./tree.ts";
export { addedUsage, noTotals, noUsage, paidIn, type SessionTotals, type Spending, sessionTotals } from "./usage.ts";
