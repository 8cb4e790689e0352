/** Exports `@pith/context/host`: what a program that runs an agent needs besides the main entry point: hooks, attachments, skills, usage totals, shell lines. */

export { blobReference, MIN_BLOB_DIGITS, removeCitations } from "./citations.ts";
export { breakerNotes } from "./compaction/breaker.ts";
export { compactionLevels } from "./compaction/budget.ts";
export { compareEstimates, POSTPONE_TYPE } from "./compaction/plan.ts";
export { planOutdatedRemoval } from "./compaction/plan-outdated-removal.ts";
export { MARK_CODES } from "./compaction/receipt.ts";
export { computeReplyBudget, fitsWithoutCounting } from "./compaction/should-compact.ts";
export { findUndoableChange } from "./compaction/undo.ts";
export {
  createHookEntryParser,
  hookTokenAllowance,
  parseDetails,
  parseUsage,
} from "./compaction-hooks/added-entries.ts";
export type { AddedContext } from "./compaction-hooks/compaction-hooks.ts";
export {
  attachImage,
  attachText,
  describeAttachment,
  displayText,
  editableText,
  readAttachmentMark,
  splitContent,
} from "./context/attachments.ts";
export { mergeSystemMessages } from "./context/build-request.ts";
export { findCalibration } from "./context/calibration.ts";
export type { ContextWithSystemEvent } from "./context/context-hooks.ts";
export { collectCalibration, entryTokens, measureWithPauses } from "./context/context-size.ts";
export { DAMAGE_TYPE, damageNote, mayBeLostMessage, TORN_END_NOTE } from "./context/damage-note.ts";
export { authorOf, entryText } from "./context/entry-text.ts";
export {
  collectLoadedSkills,
  findMissingSkills,
  type LoadedSkill,
  SKILL_LIST_TYPE,
} from "./context/loaded-skills.ts";
export { readSummaryParts, readSummaryPartTexts } from "./context/read-summary-parts.ts";
export { prepareSummary } from "./default-compaction.ts";
export {
  COMPACTION_USAGE,
  ENVIRONMENT_TYPE,
  type EntryContent,
  entryReference,
  isEditable,
  isEditableMessage,
  isMoveEntry,
  isUndoEntry,
  MOVE_TYPE,
  PIN_TYPE,
  RETRY_USAGE,
  STATE_TYPE,
} from "./entry.ts";
export {
  continueOnFailure,
  createPausableSleep,
  type Hook,
  type HookFailure,
  type HookHost,
  reportHookFailure,
  runHooks,
} from "./hooks.ts";
export { collectFileLists, fileTouches } from "./ledger/touched-files.ts";
export { runGuarded } from "./runtime.ts";
export { isBlobHash, parseBlobBlock } from "./session/blobs.ts";
export { noRedaction } from "./session/session.ts";
export { type Pin, QUEUE_TYPE, type QueuedMessage, UNQUEUE_TYPE } from "./session/state.ts";
export {
  createSummaryTimeouts,
  formatLimits,
  type TokenAmount,
  type TokenLimit,
  type ToolRoles,
  timeouts,
  toTokenAmount,
} from "./settings.ts";
export { parseShellLine, type ShellCommand } from "./shell/parse-line.ts";
export type { ShellWord } from "./shell/parse-word.ts";
export type { SummaryProgress } from "./summary/ask-model.ts";
export { renderTranscript } from "./summary/transcript.ts";
export { listUserRules } from "./summary-parts/list-rules.ts";
export { estimatePlanCost } from "./summary-parts/model-summarizer.ts";
export { measureInSteps } from "./summary-parts/user-messages.ts";
export { sanitizeLine } from "./text/sanitize.ts";
export { requestTokens } from "./tokens/estimate-tokens.ts";
export { addToTotals, sumUsage, usageOfEntry, zeroTotals, zeroUsage } from "./usage.ts";
