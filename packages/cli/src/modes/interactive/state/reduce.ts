/** Reduces agent events, live or read from the log, to the next screen state. Pure. */

import type { AgentEvent, MessageDelta } from "@pith/agent";
import { noteOn } from "../../../text/event-text.ts";
import { counted } from "../../../text/format.ts";
import { withWayOut } from "../onboarding/messages.ts";
import {
  type Answered,
  type Block,
  type Called,
  type Compacted,
  DRAFT,
  isDraft,
  isFinished,
  type Note,
  type Thought,
} from "./blocks.ts";
import { foldWork } from "./reduce-activity.ts";
import { added, drafted, foldEntry, withNote, withoutDrafts, withResult } from "./reduce-entry.ts";
import type { ScreenState } from "./screen-state.ts";

/** Once, when they begin to wait: they may be long, and are drawn often. */
export function queuedWords(said: readonly string[]): readonly string[] {
  return said.map(inOneLine);
}

function inOneLine(text: string): string {
  const words = text.trim();
  const end = words.indexOf("\n");
  const first = (end < 0 ? words : words.slice(0, end)).slice(0, MOST_LETTERS);
  const more = words.split("\n").length - 1;
  return more === 0 ? first : `${first} (+${counted(more, "line")})`;
}

/** Wider is no terminal. */
const MOST_LETTERS = 1_000;

/** `now` in milliseconds. */
export function foldDelta(state: ScreenState, delta: MessageDelta, now: number): ScreenState {
  switch (delta.type) {
    case "text-delta":
      return withText(state, delta.text, now);
    case "thinking-delta":
      return withThought(state, delta.text, now);
    case "tool-call-delta":
      return delta.call ? withCall(state, delta.call, now) : state;
  }
}

function withText(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "answered" && last.isOpen) return onLast(state, longer(last, text));
  // Line ends before its first word are no answer yet.
  const words = text.trimStart();
  if (words === "") return state;
  const begun = drafted<Answered>(state, { kind: "answered", text: words, isOpen: true, printed: 0 });
  return added(thoughtEnough(begun.state, now), begun.block);
}

function longer(answer: Answered, text: string): Answered {
  const isWithinLine = !answer.text.endsWith("\n") && !text.includes("\n");
  return { ...answer, text: answer.text + text, isWithinLine };
}

function withThought(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "thought" && last.isOpen) return onLast(state, { ...last, text: last.text + text });
  const begun = drafted<Thought>(state, { kind: "thought", text, isOpen: true, since: now });
  return added(begun.state, begun.block);
}

function withCall(state: ScreenState, { id, name }: { readonly id: string; readonly name: string }, now: number) {
  const own = `${DRAFT}${id}`;
  if (state.blocks.some((block) => block.kind === "called" && block.id === own)) return state;
  const called: Called = {
    ...{ kind: "called", id: own, tool: name, arguments: {}, state: "writing", output: "", images: [] },
  };
  return added(thoughtEnough(state, now), called);
}

function onLast(state: ScreenState, block: Block): ScreenState {
  return { ...state, blocks: [...state.blocks.slice(0, -1), block] };
}

/** Whoever begins to answer has thought enough. */
function thoughtEnough(state: ScreenState, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind !== "thought" || !last.isOpen || !isDraft(last)) return state;
  return onLast(state, { ...last, isOpen: false, ...(last.since !== undefined && { tookMs: now - last.since }) });
}

type FittingEvent = Extract<
  AgentEvent,
  { type: "compaction_quality" | "compaction_undone" | "compaction_redone" | "session_tree" }
>;

export function foldFitting(state: ScreenState, event: FittingEvent): ScreenState {
  switch (event.type) {
    case "compaction_quality": {
      const warnings = event.findings.map(({ note }) => note);
      return onCompacted(state, event.compactionId, (block) => ({ ...block, warnings })) ?? warned(state, warnings);
    }
    case "compaction_undone":
    case "compaction_redone": {
      const isUndone = event.type === "compaction_undone";
      return onCompacted(state, event.compactionId, (block) => ({ ...block, isUndone })) ?? stepped(state, isUndone);
    }
    case "session_tree":
      return divided(state, event.summaryEntry?.id);
  }
}

/** Null where it was printed already, so that it cannot change any more. */
function onCompacted(state: ScreenState, id: string, change: (block: Compacted) => Compacted): ScreenState | null {
  const at = state.blocks.findIndex((block) => block.kind === "compacted" && block.id === id);
  const block = state.blocks[at];
  return block?.kind === "compacted" ? { ...state, blocks: state.blocks.with(at, change(block)) } : null;
}

function warned(state: ScreenState, warnings: readonly string[]): ScreenState {
  return warnings.reduce((before, text) => withNote(before, { tone: "warning", text }), state);
}

function stepped(state: ScreenState, isUndone: boolean): ScreenState {
  const text = isUndone ? "the compaction was undone; /redo takes that back" : "the compaction counts again";
  return withNote(state, { tone: "good", text });
}

/** The summary of what was left was written before one stood here, and yet belongs to this side of the line. */
function divided(state: ScreenState, summaryId: string | undefined): ScreenState {
  const isBehind = (block: Block): boolean => block.kind === "branch-told" && block.id === summaryId;
  const behind = state.blocks.filter(isBehind);
  // What a hint told was of the place that was left.
  const before = { ...state, hint: null, blocks: state.blocks.filter((block) => !isBehind(block)) };
  const { blocks, ...rest } = withNote(before, { tone: "plain", text: "moved in the tree", divides: true });
  return { ...rest, blocks: [...blocks, ...behind] };
}

type ToolEvent = Extract<AgentEvent, { readonly toolCallId: string }>;

export function foldTool(state: ScreenState, event: ToolEvent, now: number): ScreenState {
  return onCalls(state, (block) => (block.id === event.toolCallId ? changed(block, event, now) : block));
}

/** When a run is over, what it called and never came back to is not waited for. */
export function withoutOpenCalls(state: ScreenState): ScreenState {
  return onCalls(state, (block) => (isFinished(block) ? block : { ...block, state: "broken-off" }));
}

function onCalls(state: ScreenState, change: (block: Called) => Called): ScreenState {
  return { ...state, blocks: state.blocks.map((block): Block => (block.kind === "called" ? change(block) : block)) };
}

function changed(block: Called, event: ToolEvent, now: number): Called {
  switch (event.type) {
    case "tool_execution_start":
      return { ...block, state: "running", since: now };
    case "tool_execution_update":
      return { ...block, output: event.partialResult };
    case "tool_execution_end":
      return { ...withResult(block, event.result), ...(block.since !== undefined && { tookMs: now - block.since }) };
  }
}

export function noted(state: ScreenState, event: AgentEvent): ScreenState {
  const note = noteIn(event);
  return note === null ? state : withNote(state, note);
}

type Words = Pick<Note, "tone" | "text">;

function noteIn(event: AgentEvent): Words | null {
  switch (event.type) {
    case "agent_end":
      return endNote(event.end);
    case "compaction_failed":
      return { tone: "bad", text: event.errorMessage };
    case "compaction_end":
      // Who asked for it is answered.
      return event.aborted && event.reason !== "manual"
        ? { tone: "plain", text: "the compaction was stopped; all is as it was" }
        : null;
    case "compaction_skipped":
    case "compaction_soft_threshold":
    case "model_notice":
    case "session_damaged":
    case "secrets_redacted":
      return plainNote(event);
    default:
      return null;
  }
}

function endNote(end: Extract<AgentEvent, { type: "agent_end" }>["end"]): Words | null {
  if (end.type === "failed") return { tone: "bad", text: withWayOut(end) };
  if (end.type === "aborted") return { tone: "warning", text: "stopped" };
  return end.isCut ? { tone: "warning", text: "the answer was longer than the model may answer, and ends here" } : null;
}

function plainNote(event: AgentEvent): Words | null {
  const text = noteOn(event, []);
  return text === null ? null : { tone: "warning", text: text.replace(/^· /, "") };
}

/** `now` in milliseconds. */
export function fold(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  return noted(foldBlocks(foldWork(state, event, now), event, now), event);
}

function foldBlocks(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  switch (event.type) {
    case "message_start":
      return event.message.role === "assistant" ? withoutDrafts(state) : state;
    case "message_update":
      return foldDelta(state, event.delta, now);
    case "auto_retry_start":
      return withoutDrafts(state);
    case "entry_appended":
      return foldEntry(state, event.entry);
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return foldTool(state, event, now);
    case "queue_update":
      return { ...state, queue: { steering: queuedWords(event.steering), followUp: queuedWords(event.followUp) } };
    case "compaction_quality":
    case "compaction_undone":
    case "compaction_redone":
    case "session_tree":
      return foldFitting(state, event);
    case "agent_end":
      return withoutOpenCalls(withoutDrafts(state));
    default:
      return state;
  }
}
