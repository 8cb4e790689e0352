/** Reduces log entries to transcript blocks, which replace the drafts of a streamed reply. Pure. */

import type {
  AssistantMessage,
  BashExecutionMessage,
  Entry,
  ImageBlock,
  MessageEntry,
  TextBlock,
  ToolResultMessage,
} from "@pith/context";
import { authorOf, displayText, PIN_TYPE } from "@pith/context/host";
import {
  type Answered,
  type Block,
  type Called,
  codeAt,
  DRAFT,
  isDraft,
  type Note,
  type Said,
  type ShellLine,
  type Thought,
} from "./blocks.ts";
import type { ScreenState } from "./screen-state.ts";

export function added(state: ScreenState, ...blocks: readonly Block[]): ScreenState {
  return blocks.length === 0 ? state : { ...state, blocks: [...state.blocks, ...blocks] };
}

/** With an id that no other draft had, printed or not. */
export function drafted<Kind extends Block>(
  state: ScreenState,
  block: Omit<Kind, "id">,
): { readonly state: ScreenState; readonly block: Kind } {
  const serial = state.serial + 1;
  return { state: { ...state, serial }, block: { ...block, id: `${DRAFT}${serial}` } as Kind };
}

export function withNote(state: ScreenState, note: Omit<Note, "id" | "kind">): ScreenState {
  const serial = state.serial + 1;
  return added({ ...state, serial }, { kind: "note", id: `note:${serial}`, ...note });
}

/** Replaces the drafts of the reply; what was printed of them is not shown again. */
export function foldReply(state: ScreenState, id: string, message: AssistantMessage): ScreenState {
  const drafts = state.blocks.filter(isOfReply);
  const others = state.blocks.filter((block) => !isOfReply(block));
  return { ...state, blocks: [...others, ...repliedBlocks(id, message, drafts)] };
}

/** Nothing comes of what was drafted; who has read the beginning of it is told so. */
export function withoutDrafts(state: ScreenState): ScreenState {
  const drafts = state.blocks.filter(isOfReply);
  if (drafts.length === 0) return state;
  const left = { ...state, blocks: state.blocks.filter((block) => !isOfReply(block)) };
  return drafts.some(wasSeen) ? withNote(left, { tone: "warning", text: "what stands above broke off" }) : left;
}

/** A shell line that is under way is nobody's reply. */
function isOfReply(block: Block): boolean {
  return isDraft(block) && (block.kind === "answered" || block.kind === "thought" || block.kind === "called");
}

function wasSeen(block: Block): boolean {
  return block.kind === "answered" ? block.printed > 0 : block.kind === "thought" && block.isPrinted === true;
}

function repliedBlocks(id: string, message: AssistantMessage, drafts: readonly Block[]): readonly Block[] {
  const isBroken = message.stopReason === "error" || message.stopReason === "aborted";
  const left = { words: printedWords(message, drafts), thoughts: printedThoughts(message, drafts) };
  const tookMs = drafts.find((block): block is Thought => block.kind === "thought" && !block.isPrinted)?.tookMs;
  return message.content.flatMap((part, at): readonly Block[] => {
    const own = `${id}:${at}`;
    if (part.type === "toolCall") return [callOf(part, isBroken)];
    const kind = part.type === "text" ? "words" : "thoughts";
    const text = part.type === "text" ? part.text : part.thinking;
    const printed = Math.min(left[kind], text.length);
    left[kind] -= printed;
    if (text.slice(printed).trim() === "") return [];
    if (part.type === "text") return [answerOf(own, text, printed)];
    return [{ kind: "thought", id: own, text, isOpen: false, ...(tookMs !== undefined && { tookMs }) }];
  });
}

function answerOf(id: string, text: string, printed: number): Answered {
  const code = printed === 0 ? null : codeAt(text, printed);
  return { kind: "answered", id, text, isOpen: false, printed, ...(code && { code }) };
}

/** Letters of its words, in their order. A draft may hold several parts; it begins with its first word. */
function printedWords({ content }: AssistantMessage, drafts: readonly Block[]): number {
  const answers = drafts.filter((block): block is Answered => block.kind === "answered");
  const seen = answers.map(({ text, printed }) => text.slice(0, printed)).join("");
  const words = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return seenOf(words, seen, words.length - words.trimStart().length);
}

function printedThoughts({ content }: AssistantMessage, drafts: readonly Block[]): number {
  const ghosts = drafts.filter((block): block is Thought => block.kind === "thought" && block.isPrinted === true);
  const thoughts = content.map((part) => (part.type === "thinking" ? part.thinking : "")).join("");
  return seenOf(thoughts, ghosts.map(({ text }) => text).join(""), 0);
}

/** None where it is not what was drafted: then all of it is shown. */
function seenOf(words: string, seen: string, from: number): number {
  return seen !== "" && words.startsWith(seen, from) ? from + seen.length : 0;
}

type Call = Extract<AssistantMessage["content"][number], { type: "toolCall" }>;

function callOf({ id, name, arguments: given }: Call, isBroken: boolean): Called {
  const state = isBroken ? "broken-off" : "waiting";
  return { kind: "called", id, tool: name, arguments: given, state, output: "", images: [] };
}

export function foldEntry(state: ScreenState, entry: Entry): ScreenState {
  switch (entry.type) {
    case "message":
      return foldMessage(state, entry);
    case "compaction":
      return added(state, { kind: "compacted", id: entry.id, entry, warnings: [], isUndone: false });
    case "branch_summary":
      return added(state, { kind: "branch-told", id: entry.id, summary: entry.summary });
    case "custom_message":
      if (!entry.display) return state;
      if (entry.customType === PIN_TYPE)
        return added(state, { kind: "pinned", id: entry.id, text: textIn(entry.content) });
      return added(state, { kind: "note", id: entry.id, tone: "plain", text: textIn(entry.content) });
    default:
      return state;
  }
}

function foldMessage(state: ScreenState, entry: MessageEntry): ScreenState {
  const { id, message } = entry;
  switch (message.role) {
    case "user":
      return added({ ...state, hint: null }, saidOf(entry, message.content));
    case "assistant":
      return withEnding(foldReply(state, id, message), message);
    case "toolResult":
      return {
        ...state,
        blocks: state.blocks.map((block) => (isOf(block, message) ? withResult(block, message) : block)),
      };
    case "bashExecution":
      return withShell(state, shellOf(id, message));
    default:
      return state;
  }
}

function saidOf(entry: MessageEntry, content: Content): Said {
  const from = authorOf(entry) === "person" ? {} : { from: "program" as const };
  return { kind: "said", id: entry.id, text: displayText(content), images: imagesIn(content), ...from };
}

/** How a reply of long ago broke off; while there is a run, its end tells that. */
function withEnding(state: ScreenState, { stopReason, errorMessage }: AssistantMessage): ScreenState {
  if (state.work.type !== "idle") return state;
  if (stopReason === "aborted") return withNote(state, { tone: "warning", text: "stopped here" });
  if (stopReason === "error") return withNote(state, { tone: "bad", text: errorMessage ?? "the reply broke off" });
  return state;
}

function shellOf(id: string, message: BashExecutionMessage): ShellLine {
  return {
    kind: "shell",
    id,
    command: message.command,
    output: message.output,
    exitCode: message.exitCode ?? null,
    isCancelled: message.cancelled,
    isPrivate: message.excludeFromContext === true,
    isOpen: false,
  };
}

/** In place of the one that was seen while it ran. */
function withShell(state: ScreenState, line: ShellLine): ScreenState {
  const at = state.blocks.findIndex(
    (block) => block.kind === "shell" && block.command === line.command && (block.isOpen || isDraft(block)),
  );
  return at === -1 ? added(state, line) : { ...state, blocks: state.blocks.with(at, line) };
}

function isOf(block: Block, { toolCallId }: ToolResultMessage): block is Called {
  return block.kind === "called" && block.id === toolCallId;
}

export function withResult(block: Called, { content, isError, details }: ToolResultMessage): Called {
  const diff = (Object(details) as { readonly diff?: unknown }).diff;
  return {
    ...block,
    state: isError ? "failed" : "done",
    output: textIn(content),
    images: imagesIn(content),
    ...(typeof diff === "string" && { diff }),
  };
}

type Content = string | readonly (TextBlock | ImageBlock)[];

function textIn(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function imagesIn(content: Content): readonly ImageBlock[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === "image");
}
