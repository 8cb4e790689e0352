/** Reduces agent events, live or read from the log, to the next screen state. Pure. */

import type { AgentEvent, MessageDelta } from "@pith/agent";
import { formatCount, formatSeconds } from "@pith/host/text/format";
import { truncate } from "@pith/host/text/safe-text";
import { describeFinding, describeProgress, formatOutdatedResults } from "../../../text/compaction-text.ts";
import { formatProgressNote } from "../../../text/event-text.ts";
import {
  type AssistantBlock,
  type Block,
  type CompactionBlock,
  DRAFT_ID_PREFIX,
  isDraft,
  isFinished,
  type NoteBlock,
  type ThinkingBlock,
  type ToolBlock,
} from "./blocks.ts";
import {
  appendBlocks,
  createDraft,
  describeStop,
  reduceEntry,
  removeDrafts,
  withNote,
  withResult,
} from "./reduce-entry.ts";
import type { Activity, ScreenState } from "./screen-state.ts";

/** `now` is in milliseconds. */
export function reduceEvent(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  if (event.type === "compaction_preparation") return showPreparedSummary(state, event.state === "ready");
  return withEventNote(reduceBlocks(reduceActivity(state, event, now), event, now), event);
}

/** The footer is rebuilt only when entries are written, and a summary may become ready between them. */
function showPreparedSummary(state: ScreenState, isSummaryReady: boolean): ScreenState {
  const { footer } = state;
  return footer?.meter ? { ...state, footer: { ...footer, meter: { ...footer.meter, isSummaryReady } } } : state;
}

function reduceBlocks(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  switch (event.type) {
    case "message_start":
      return event.message.role === "assistant" ? removeDrafts(state) : state;
    case "message_update":
      return reduceDelta(state, event.delta, now);
    case "auto_retry_start":
      return removeDrafts(state);
    case "entry_appended":
      return reduceEntry(state, event.entry);
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return updateToolBlocks(state, (block) =>
        block.id === event.toolCallId ? applyToolEvent(block, event, now) : block,
      );
    case "queue_update":
      return {
        ...state,
        queue: { steering: formatQueuedMessages(event.steering), followUp: formatQueuedMessages(event.followUp) },
      };
    case "compaction_quality":
    case "compaction_undone":
    case "compaction_redone":
    case "session_tree":
      return reduceCompactionOrTree(state, event);
    case "agent_end":
      return interruptOpenCalls(removeDrafts(state));
    default:
      return state;
  }
}

/** Formats each message as one line. Callers do this once per change of the queue: messages can be long and are drawn often. */
export function formatQueuedMessages(messages: readonly string[]): readonly string[] {
  return messages.map(formatQueuedMessage);
}

function formatQueuedMessage(text: string): string {
  const trimmed = text.trim();
  const lineBreak = trimmed.indexOf("\n");
  const firstLine = (lineBreak < 0 ? trimmed : trimmed.slice(0, lineBreak)).slice(0, MAX_QUEUED_CHARS);
  const extraLines = trimmed.split("\n").length - 1;
  return extraLines === 0 ? firstLine : `${firstLine} (+${formatCount(extraLines, "line")})`;
}

/** No terminal is wider. */
const MAX_QUEUED_CHARS = 1_000;

/** `now` is in milliseconds. */
function reduceDelta(state: ScreenState, delta: MessageDelta, now: number): ScreenState {
  switch (delta.type) {
    case "text-delta":
      return appendText(state, delta.text, now);
    case "thinking-delta":
      return appendThinking(state, delta.text, now);
    case "tool-call-delta":
      return delta.call ? addToolDraft(state, delta.call, now) : state;
  }
}

function appendText(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "assistant" && last.isOpen) return replaceLastBlock(state, extendAnswer(last, text));
  // Leading line breaks do not start an answer.
  const firstText = text.trimStart();
  if (firstText === "") return state;
  const draft = createDraft<AssistantBlock>(state, { kind: "assistant", text: firstText, isOpen: true, printed: 0 });
  return appendBlocks(finishThinking(draft.state, now), draft.block);
}

function extendAnswer(answer: AssistantBlock, text: string): AssistantBlock {
  const isWithinLine = !answer.text.endsWith("\n") && !text.includes("\n");
  return { ...answer, text: answer.text + text, isWithinLine };
}

function appendThinking(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "thinking" && last.isOpen) return replaceLastBlock(state, { ...last, text: last.text + text });
  const draft = createDraft<ThinkingBlock>(state, { kind: "thinking", text, isOpen: true, startedAt: now });
  return appendBlocks(draft.state, draft.block);
}

function addToolDraft(state: ScreenState, { id, name }: { readonly id: string; readonly name: string }, now: number) {
  const draftId = `${DRAFT_ID_PREFIX}${id}`;
  if (state.blocks.some((block) => block.kind === "tool" && block.id === draftId)) return state;
  const toolBlock: ToolBlock = {
    kind: "tool",
    id: draftId,
    tool: name,
    arguments: {},
    state: "writing",
    output: "",
    images: [],
  };
  return appendBlocks(finishThinking(state, now), toolBlock);
}

function replaceLastBlock(state: ScreenState, block: Block): ScreenState {
  return { ...state, blocks: [...state.blocks.slice(0, -1), block] };
}

/** Closes the open thinking block, because the answer or a tool call starts. */
function finishThinking(state: ScreenState, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind !== "thinking" || !last.isOpen || !isDraft(last)) return state;
  return replaceLastBlock(state, {
    ...last,
    isOpen: false,
    ...(last.startedAt !== undefined && { durationMs: now - last.startedAt }),
  });
}

type CompactionOrTreeEvent = Extract<
  AgentEvent,
  { type: "compaction_quality" | "compaction_undone" | "compaction_redone" | "session_tree" }
>;

function reduceCompactionOrTree(state: ScreenState, event: CompactionOrTreeEvent): ScreenState {
  switch (event.type) {
    case "compaction_quality": {
      const warnings = event.findings.map(describeFinding);
      return (
        updateCompactionBlock(state, event.compactionId, (block) => ({ ...block, warnings })) ??
        warnings.reduce((current, text) => withNote(current, { tone: "warning", text }), state)
      );
    }
    case "compaction_undone":
    case "compaction_redone": {
      const isUndone = event.type === "compaction_undone";
      return (
        updateCompactionBlock(state, event.compactionId, (block) => ({ ...block, isUndone })) ??
        withUndoNote(state, isUndone)
      );
    }
    case "session_tree":
      return withMoveDivider(state, event.summaryEntry?.id);
  }
}

/** Null if the block is already printed and can no longer change. */
function updateCompactionBlock(
  state: ScreenState,
  id: string,
  update: (block: CompactionBlock) => CompactionBlock,
): ScreenState | null {
  const index = state.blocks.findIndex((block) => block.kind === "compaction" && block.id === id);
  const block = state.blocks[index];
  return block?.kind === "compaction" ? { ...state, blocks: state.blocks.with(index, update(block)) } : null;
}

function withUndoNote(state: ScreenState, isUndone: boolean): ScreenState {
  const text = isUndone ? "Compaction undone. /redo restores it." : "Compaction restored.";
  return withNote(state, { tone: "good", text });
}

/** Adds a divider after a move in the tree. The summary of the branch that was left is appended before the move, but belongs below the divider. */
function withMoveDivider(state: ScreenState, summaryId: string | undefined): ScreenState {
  const isLeftBranchSummary = (block: Block): boolean => block.kind === "branch-summary" && block.id === summaryId;
  const summaries = state.blocks.filter(isLeftBranchSummary);
  // The hint is about the position that was left.
  const cleared = { ...state, hint: null, blocks: state.blocks.filter((block) => !isLeftBranchSummary(block)) };
  const { blocks, ...rest } = withNote(cleared, {
    tone: "plain",
    text: "went to another entry in the tree",
    isDivider: true,
  });
  return { ...rest, blocks: [...blocks, ...summaries] };
}

type ToolEvent = Extract<AgentEvent, { readonly toolCallId: string }>;

/** Marks the calls that have no result when a run ends, so that the screen does not wait for them. */
function interruptOpenCalls(state: ScreenState): ScreenState {
  return updateToolBlocks(state, (block) => (isFinished(block) ? block : { ...block, state: "broken-off" }));
}

function updateToolBlocks(state: ScreenState, update: (block: ToolBlock) => ToolBlock): ScreenState {
  return { ...state, blocks: state.blocks.map((block): Block => (block.kind === "tool" ? update(block) : block)) };
}

function applyToolEvent(block: ToolBlock, event: ToolEvent, now: number): ToolBlock {
  switch (event.type) {
    case "tool_execution_start":
      return { ...block, state: "running", startedAt: now };
    case "tool_execution_update":
      return { ...block, output: event.partialResult };
    case "tool_execution_end":
      return { ...withResult(block, event.result), durationMs: event.durationMs };
  }
}

function withEventNote(state: ScreenState, event: AgentEvent): ScreenState {
  const note = describeEvent(event);
  return note === null ? state : withNote(state, note);
}

type NoteText = Pick<NoteBlock, "tone" | "text">;

function describeEvent(event: AgentEvent): NoteText | null {
  switch (event.type) {
    case "agent_end":
      return describeRunEnd(event);
    case "compaction_failed":
      return { tone: "bad", text: event.errorMessage };
    case "compaction_end":
      // The command reports a manual compaction.
      return event.aborted && event.reason !== "manual"
        ? { tone: "plain", text: "Compaction stopped. The context is unchanged." }
        : null;
    case "outdated_results_removed":
    case "outdated_results_restored":
      return { tone: "plain", text: formatOutdatedResults(event) };
    case "compaction_skipped":
    case "compaction_soft_threshold":
    case "model_notice":
    case "session_damaged":
    case "secrets_redacted":
      return describeNotice(event);
    default:
      return null;
  }
}

function describeRunEnd({ end, messages }: Extract<AgentEvent, { type: "agent_end" }>): NoteText | null {
  if (end.type === "failed") return { tone: "bad", text: end.why };
  if (end.type === "aborted") return describeStop(messages.at(-1));
  return end.type === "done" && end.isCut
    ? { tone: "warning", text: "The answer reached the model's output limit and is incomplete." }
    : null;
}

function describeNotice(event: AgentEvent): NoteText | null {
  const text = formatProgressNote(event, []);
  return text === null ? null : { tone: "warning", text: text.replace(/^· /, "") };
}

function reduceActivity(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const activity = nextActivity(state.activity, event, now);
  return activity === state.activity ? state : { ...state, activity };
}

function nextActivity(activity: Activity, event: AgentEvent, now: number): Activity {
  const startedAt = activity.type === "idle" ? now : activity.startedAt;
  switch (event.type) {
    case "agent_start":
    case "turn_start":
    case "auto_retry_end":
      return { type: "running", startedAt, phase: "thinking", chars: 0 };
    case "message_update":
      return { type: "running", startedAt, ...countDelta(activity, event.delta) };
    case "tool_execution_start":
      return { type: "running", startedAt, phase: "working", chars: 0 };
    case "auto_retry_start":
      return { type: "retrying", startedAt, errorMessage: event.errorMessage, retryAt: now + event.delayMs };
    case "compaction_start":
      return {
        type: "compacting",
        startedAt: now,
        reason: event.reason,
        step: "",
        ...(isDuringRun(activity) && { isWithinRun: true }),
      };
    case "compaction_progress":
      return {
        type: "compacting",
        startedAt,
        reason: event.reason,
        step: describeProgress(event) ?? getStep(activity),
        ...(isDuringRun(activity) && { isWithinRun: true }),
      };
    case "compaction_end":
      // Without a run, the user or the change to a model with a smaller window started the compaction.
      return isDuringRun(activity)
        ? { type: "running", startedAt: now, phase: "thinking", chars: 0 }
        : { type: "idle" };
    case "branch_summary_progress":
      return { type: "summarizing", startedAt, step: describeProgress(event) ?? getStep(activity) };
    case "summarization_retry_scheduled":
      return withStep(
        activity,
        `${truncate(event.errorMessage, MAX_STEP_CHARS)}; retrying in ${formatSeconds(event.delayMs)}`,
      );
    case "summarization_retry_attempt_start":
      return withStep(activity, "retrying");
    case "session_tree":
      return activity.type === "summarizing" ? { type: "idle" } : activity;
    case "agent_settled":
      return { type: "idle" };
    default:
      return activity;
  }
}

function countDelta(
  activity: Activity,
  delta: MessageDelta,
): { readonly phase: "thinking" | "answering"; readonly chars: number } {
  const text = delta.type === "tool-call-delta" ? delta.json : delta.text;
  const chars = (activity.type === "running" ? activity.chars : 0) + text.length;
  return { phase: delta.type === "text-delta" ? "answering" : "thinking", chars };
}

function isDuringRun(activity: Activity): boolean {
  return (
    activity.type === "running" ||
    activity.type === "retrying" ||
    (activity.type === "compacting" && activity.isWithinRun === true)
  );
}

function withStep(activity: Activity, step: string): Activity {
  return activity.type === "compacting" || activity.type === "summarizing" ? { ...activity, step } : activity;
}

function getStep(activity: Activity): string {
  return activity.type === "compacting" || activity.type === "summarizing" ? activity.step : "";
}

const MAX_STEP_CHARS = 60;
