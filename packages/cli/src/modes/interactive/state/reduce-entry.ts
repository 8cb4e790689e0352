/** Reduces log entries to transcript blocks, which replace the drafts of a streamed reply. Pure. */

import { readCallOutcome } from "@pith/agent";
import type {
  AgentMessage,
  AssistantMessage,
  Entry,
  ImageBlock,
  MessageEntry,
  TextBlock,
  ToolResultMessage,
} from "@pith/context";
import { authorOf, displayText, PIN_TYPE } from "@pith/context/host";
import { truncate } from "@pith/host/text/safe-text";
import { formatRereadFiles } from "../../../text/compaction-text.ts";
import {
  type AssistantBlock,
  type Block,
  DRAFT_ID_PREFIX,
  findOpenCode,
  isDraft,
  type NoteBlock,
  type ShellBlock,
  type ThinkingBlock,
  type ToolBlock,
  type UserBlock,
} from "./blocks.ts";
import type { ScreenState } from "./screen-state.ts";

export function appendBlocks(state: ScreenState, ...blocks: readonly Block[]): ScreenState {
  return blocks.length === 0 ? state : { ...state, blocks: [...state.blocks, ...blocks] };
}

/** Gives the block an id that no other draft had, printed or not. */
export function createDraft<Kind extends Block>(
  state: ScreenState,
  block: Omit<Kind, "id">,
): { readonly state: ScreenState; readonly block: Kind } {
  const serial = state.serial + 1;
  return { state: { ...state, serial }, block: { ...block, id: `${DRAFT_ID_PREFIX}${serial}` } as Kind };
}

export function withNote(state: ScreenState, note: Omit<NoteBlock, "id" | "kind">): ScreenState {
  const serial = state.serial + 1;
  return appendBlocks({ ...state, serial }, { kind: "note", id: `note:${serial}`, ...note });
}

/** Replaces the drafts of the reply. Text that was already printed is not shown again. */
function reduceReply(state: ScreenState, id: string, message: AssistantMessage): ScreenState {
  const drafts = state.blocks.filter(isReplyDraft);
  const others = state.blocks.filter((block) => !isReplyDraft(block));
  return { ...state, blocks: [...others, ...buildReplyBlocks(id, message, drafts)] };
}

/** Removes the drafts of a reply that was not completed. If a part was already printed, adds a note about it. */
export function removeDrafts(state: ScreenState): ScreenState {
  const drafts = state.blocks.filter(isReplyDraft);
  if (drafts.length === 0) return state;
  const nextState = { ...state, blocks: state.blocks.filter((block) => !isReplyDraft(block)) };
  return drafts.some(wasPrinted)
    ? withNote(nextState, { tone: "warning", text: "The reply above was interrupted." })
    : nextState;
}

/** A running shell line is also a draft, but not part of a reply. */
function isReplyDraft(block: Block): boolean {
  return isDraft(block) && (block.kind === "assistant" || block.kind === "thinking" || block.kind === "tool");
}

function wasPrinted(block: Block): boolean {
  return block.kind === "assistant" ? block.printed > 0 : block.kind === "thinking" && block.isPrinted === true;
}

function buildReplyBlocks(id: string, message: AssistantMessage, drafts: readonly Block[]): readonly Block[] {
  const isInterrupted = message.stopReason === "error" || message.stopReason === "aborted";
  const unmatchedChars = { text: countPrintedText(message, drafts), thinking: countPrintedThinking(message, drafts) };
  const durationMs = drafts.find(
    (block): block is ThinkingBlock => block.kind === "thinking" && !block.isPrinted,
  )?.durationMs;
  return message.content.flatMap((part, index): readonly Block[] => {
    const blockId = `${id}:${index}`;
    if (part.type === "toolCall") return [createToolBlock(part, isInterrupted)];
    const text = part.type === "text" ? part.text : part.thinking;
    const printedChars = Math.min(unmatchedChars[part.type], text.length);
    unmatchedChars[part.type] -= printedChars;
    if (text.slice(printedChars).trim() === "") return [];
    if (part.type === "text") return [createAssistantBlock(blockId, text, printedChars)];
    return [{ kind: "thinking", id: blockId, text, isOpen: false, ...(durationMs !== undefined && { durationMs }) }];
  });
}

function createAssistantBlock(id: string, text: string, printedChars: number): AssistantBlock {
  const openCode = printedChars === 0 ? null : findOpenCode(text, printedChars);
  return { kind: "assistant", id, text, isOpen: false, printed: printedChars, ...(openCode && { code: openCode }) };
}

/** Counts the printed characters over all text parts of the reply. A draft may contain several parts, and starts at the first word. */
function countPrintedText({ content }: AssistantMessage, drafts: readonly Block[]): number {
  const answerDrafts = drafts.filter((block): block is AssistantBlock => block.kind === "assistant");
  const printedText = answerDrafts.map(({ text, printed: printedChars }) => text.slice(0, printedChars)).join("");
  const replyText = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return matchPrintedChars(replyText, printedText, replyText.length - replyText.trimStart().length);
}

function countPrintedThinking({ content }: AssistantMessage, drafts: readonly Block[]): number {
  const printedDrafts = drafts.filter(
    (block): block is ThinkingBlock => block.kind === "thinking" && block.isPrinted === true,
  );
  const replyThinking = content.map((part) => (part.type === "thinking" ? part.thinking : "")).join("");
  return matchPrintedChars(replyThinking, printedDrafts.map(({ text }) => text).join(""), 0);
}

/** Returns 0 if the reply does not begin with the printed text. All of it is then shown. */
function matchPrintedChars(replyText: string, printedText: string, offset: number): number {
  return printedText !== "" && replyText.startsWith(printedText, offset) ? offset + printedText.length : 0;
}

type ToolCallContent = Extract<AssistantMessage["content"][number], { type: "toolCall" }>;

function createToolBlock({ id, name, arguments: toolArguments }: ToolCallContent, isInterrupted: boolean): ToolBlock {
  const state = isInterrupted ? "broken-off" : "waiting";
  return { kind: "tool", id, tool: name, arguments: toolArguments, state, output: "", images: [] };
}

export function reduceEntry(state: ScreenState, entry: Entry): ScreenState {
  switch (entry.type) {
    case "message":
      return reduceMessage(state, entry);
    case "compaction":
      return appendBlocks(state, { kind: "compaction", id: entry.id, entry, warnings: [], isUndone: false });
    case "branch_summary":
      return appendBlocks(state, { kind: "branch-summary", id: entry.id, summary: entry.summary });
    case "custom_message": {
      const rereadFiles = formatRereadFiles(entry);
      if (rereadFiles !== null) return putRereadFiles(state, entry.id, rereadFiles);
      if (!entry.display) return state;
      if (entry.customType === PIN_TYPE)
        return appendBlocks(state, { kind: "pin", id: entry.id, text: extractText(entry.content) });
      return appendBlocks(state, { kind: "note", id: entry.id, tone: "plain", text: extractText(entry.content) });
    }
    case "custom":
      return entry.customType === PIN_TYPE ? reduceEntryPin(state, entry) : state;
    default:
      return state;
  }
}

/** A pinned entry may be long and is in the transcript already, so only its beginning is shown. */
function reduceEntryPin(state: ScreenState, { id, data }: Extract<Entry, { type: "custom" }>): ScreenState {
  const { text } = Object(data) as { readonly text?: unknown };
  return typeof text === "string" ? appendBlocks(state, { kind: "pin", id, text: truncate(text) }) : state;
}

/** Adds the line to the receipt, so that the receipt stays the last block and can be opened. A printed receipt can no longer change. */
function putRereadFiles(state: ScreenState, id: string, rereadFiles: string): ScreenState {
  const last = state.blocks.at(-1);
  return last?.kind === "compaction"
    ? { ...state, blocks: [...state.blocks.slice(0, -1), { ...last, rereadFiles }] }
    : appendBlocks(state, { kind: "note", id, tone: "plain", text: rereadFiles });
}

function reduceMessage(state: ScreenState, entry: MessageEntry): ScreenState {
  const { id, message } = entry;
  switch (message.role) {
    case "user":
      return appendBlocks({ ...state, hint: null }, createUserBlock(entry, message.content));
    case "assistant":
      return withStopNote(reduceReply(state, id, message), message);
    case "toolResult":
      return {
        ...state,
        blocks: state.blocks.map((block) => (isToolBlockFor(block, message) ? withResult(block, message) : block)),
      };
    case "bashExecution":
      return putShellBlock(state, {
        kind: "shell",
        id,
        command: message.command,
        output: message.output,
        exitCode: message.exitCode ?? null,
        isCancelled: message.cancelled,
        isPrivate: message.excludeFromContext === true,
        isOpen: false,
      });
    default:
      return state;
  }
}

function createUserBlock(entry: MessageEntry, content: MessageContent): UserBlock {
  const source = authorOf(entry) === "person" ? {} : { from: "program" as const };
  return { kind: "user", id: entry.id, text: displayText(content), images: extractImages(content), ...source };
}

/** Notes how an old reply was interrupted. During a run, the end of the run adds the note. */
function withStopNote(state: ScreenState, message: AssistantMessage): ScreenState {
  const { stopReason, errorMessage } = message;
  if (state.activity.type !== "idle") return state;
  if (stopReason === "aborted") return withNote(state, describeStop(message));
  if (stopReason === "error")
    return withNote(state, { tone: "bad", text: errorMessage ?? "The reply was interrupted." });
  return state;
}

/** CTX8: an unfinished reply stays on the screen, but later requests leave it out. */
export function describeStop(lastMessage: AgentMessage | undefined): Pick<NoteBlock, "tone" | "text"> {
  const isUnfinishedReply =
    lastMessage?.role === "assistant" && lastMessage.stopReason === "aborted" && lastMessage.content.length > 0;
  const text = isUnfinishedReply ? "Stopped. The model will not see this unfinished reply." : "Stopped.";
  return { tone: "warning", text };
}

/** Replaces the block that was shown while the command ran. */
function putShellBlock(state: ScreenState, shellBlock: ShellBlock): ScreenState {
  const index = state.blocks.findIndex(
    (block) => block.kind === "shell" && block.command === shellBlock.command && (block.isOpen || isDraft(block)),
  );
  return index === -1 ? appendBlocks(state, shellBlock) : { ...state, blocks: state.blocks.with(index, shellBlock) };
}

function isToolBlockFor(block: Block, { toolCallId }: ToolResultMessage): block is ToolBlock {
  return block.kind === "tool" && block.id === toolCallId;
}

export function withResult(block: ToolBlock, result: ToolResultMessage): ToolBlock {
  const { content, details } = result;
  const outcome = readCallOutcome(result);
  const { diff, exitCode } = Object(details) as { readonly diff?: unknown; readonly exitCode?: unknown };
  return {
    ...block,
    state: outcome === "succeeded" ? "done" : outcome,
    output: extractText(content),
    images: extractImages(content),
    ...(typeof diff === "string" && { diff }),
    ...(typeof exitCode === "number" && { exitCode }),
  };
}

type MessageContent = string | readonly (TextBlock | ImageBlock)[];

function extractText(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function extractImages(content: MessageContent): readonly ImageBlock[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === "image");
}
