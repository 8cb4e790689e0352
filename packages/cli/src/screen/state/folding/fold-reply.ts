/** A reply that is whole takes the place of what was drafted of it while it came; what was printed of that is not shown again. Pure. */

import type { AssistantMessage } from "@pith/context";
import { type Answered, type Block, type Called, isDraft, type Thought } from "../block.ts";
import { codeAt } from "../paragraphs.ts";
import type { ScreenState } from "../screen-state.ts";
import { withNote } from "./added.ts";

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
