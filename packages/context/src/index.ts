/** The door `@pith/context`: sessions, the context at any leaf of them, and how it is kept small enough. */

export { type Attempt, type Attempted, attempted } from "./attempted.ts";
export { collectEntriesForBranchSummary, type LeftBranch } from "./branching/collect-entries.ts";
export {
  type BranchSummarised,
  type BranchSummaryParts,
  generateBranchSummary,
  type ToldBranch,
} from "./branching/generate-branch-summary.ts";
export type {
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionTreeEvent,
  TreeHooks,
  TreePreparation,
} from "./branching/hooks.ts";
export { type Moved, type MoveParts, moveTo } from "./branching/move.ts";
export { type PreparedBranch, prepareBranchEntries } from "./branching/prepare-entries.ts";
export type { WantedSummary } from "./branching/tell-left.ts";
export { type Breaker, breakerAt, breakerNotes, type Filling } from "./compaction/breaker.ts";
export { type Compaction, type CompactParts, compact } from "./compaction/compact.ts";
export { type Due, due } from "./compaction/due.ts";
export { type Added, addingUpTo } from "./compaction/hooks/added-context.ts";
export type {
  AddedContext,
  CompactionHooks,
  CompactReason,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionCompactEvent,
  SessionCompactFailedEvent,
} from "./compaction/hooks/events.ts";
export { POSTPONED } from "./compaction/hooks/events.ts";
export { jsonDetails, usageIn } from "./compaction/hooks/hook-values.ts";
export type { CompactionPreparation } from "./compaction/hooks/preparation.ts";
export { roomForHooks } from "./compaction/hooks/room-for-hooks.ts";
export { type Budget, budgetFor, type Setting, shouldCompact } from "./compaction/planning/budget.ts";
export { type Cut, type CutParts, findCutPoint } from "./compaction/planning/cut.ts";
export { type NothingToDo, type Plan, type Prepared, prepareCompaction } from "./compaction/planning/plan.ts";
export { type Rung, rungs } from "./compaction/planning/rungs.ts";
export { type Preview, previewCompaction } from "./compaction/preview.ts";
export { type Finding, type Reason, type Receipt, receiptOf, type Stretch } from "./compaction/receipt.ts";
export { surelyFits } from "./compaction/surely-fits.ts";
export { redoCompaction, type Undone, undoCompaction } from "./compaction/undo.ts";
export type { Candidate, Paid, WriteAct, Writer, Written } from "./compaction/writing/candidate.ts";
export { type ModelWriting, modelWriter } from "./compaction/writing/model-writer.ts";
export type * from "./entry.ts";
export { BRANCH_USAGE, BREAKER, COMPACTION_USAGE, MOVE, PIN, RETRY_USAGE, UNPIN } from "./entry.ts";
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
} from "./hook.ts";
export { entryWords } from "./keeping/entry-text.ts";
export type { Ledger } from "./keeping/ledger/ledger.ts";
export { pinEntry, pinWords, unpin } from "./keeping/pin.ts";
export { type Provenance, provenance } from "./keeping/provenance.ts";
export {
  type Amount,
  type CompactionLimits,
  compactionLimits,
  type FormatLimits,
  formatLimits,
  patience,
  type Threshold,
} from "./limits.ts";
export type * from "./message.ts";
export type * from "./model.ts";
export type * from "./ports.ts";
export { buildSessionContext, type SessionContext } from "./reading/build-context.ts";
export { buildRequest, type RequestParts } from "./reading/build-request.ts";
export {
  type ContextEvent,
  type ContextHooks,
  type ContextResult,
  type ContextWithSystemEvent,
  type Hooked,
  hookedContext,
} from "./reading/context-hooks.ts";
export { convertToLlm } from "./reading/convert-to-llm.ts";
export { foldedSystem } from "./reading/fold-system.ts";
export { type FrontKind, type FrontPart, frontParts, frontTexts } from "./reading/front-parts.ts";
export {
  LISTED,
  type LoadedReference,
  loadedReferences,
  missingReferences,
  type Reference,
  referenceOf,
} from "./reading/references.ts";
export { type Calibration, calibrationAt, type Fit, fitOf } from "./reading/tokens/calibration.ts";
export { type ContextSize, contextSize } from "./reading/tokens/context-size.ts";
export { calculateContextTokens } from "./reading/tokens/measure.ts";
export { messageTokens } from "./reading/tokens/message-tokens.ts";
export { textTokens } from "./reading/tokens/text-tokens.ts";
export type { ToolRole, ToolRoles } from "./reading/tools/tool-roles.ts";
export { type FileTouch, fileTouches, type TouchedFiles, touchedFiles } from "./reading/touched-files.ts";
export type * from "./request.ts";
export {
  type BlobBlock,
  blobBlock,
  blobHandle,
  blobOf,
  blobsIn,
  isBlobHash,
  type KeptBlob,
  withInlined,
} from "./session/blob-block.ts";
export { type Carried, carry, nothingCarried } from "./session/carried.ts";
export { checkBatch, isEditable } from "./session/check-batch.ts";
export { type Damage, type DamageKind, damageNotes } from "./session/codec/damage.ts";
export { newHeader, type Origin } from "./session/codec/header.ts";
export { entryText } from "./session/codec/line/write-line.ts";
export type { Line } from "./session/codec/placed-lines.ts";
export { decodeSession, encodeSession, type SessionFile } from "./session/codec/session-file.ts";
export type { ForkPlan } from "./session/fork.ts";
export { MemoryStore } from "./session/memory-store.ts";
export type { Pin } from "./session/pins.ts";
export { plainText } from "./session/plain-text.ts";
export { QUEUED, type Queued, UNQUEUED } from "./session/queue.ts";
export { asItIs, type Redaction } from "./session/redaction.ts";
export { type Drafted, type Moving, type Occupation, Session, type SessionParts } from "./session/session.ts";
export { type Appended, type Fence, type Refusal, refusalNotes, type Store } from "./session/store.ts";
export { branch, commonAncestor, labels, type Tree, treeOf } from "./session/tree.ts";
export { emptyWindow, extended, leafOf, type Window, windowAt, windowOf } from "./session/window.ts";
export type { AskFailure, Call } from "./summary/asking/ask.ts";
export {
  generateSummary,
  type Summarised,
  type SummaryFailure,
  type SummaryParts,
} from "./summary/generate-summary.ts";
export type { Progress, TellProgress } from "./summary/progress.ts";
export { serializeConversation, type TranscriptBlock, transcriptOf } from "./summary/transcript.ts";
export { addedUsage, noTotals, noUsage, paidIn, type SessionTotals, type Spending, sessionTotals } from "./totals.ts";
