/** An entry of the log becomes what is shown of it; what was drafted of it while it came makes room. Pure. */

import {
  type AssistantMessage,
  type CompactionEntry,
  type Entry,
  type ImageBlock,
  type MessageEntry,
  PIN,
  provenance,
  type TextBlock,
  type ToolResultMessage,
} from "@pith/context";
import type { Block, Called } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { isDraft } from "./fold-delta.ts";

export function foldEntry(state: ScreenState, entry: Entry): ScreenState {
  switch (entry.type) {
    case "message":
      return foldMessage(state, entry);
    case "compaction":
      return added(state, compacted(entry));
    case "branch_summary":
      return added(state, { kind: "branch-told", id: entry.id, summary: entry.summary });
    case "custom_message":
      if (!entry.display) return state;
      if (entry.customType === PIN) return added(state, { kind: "pinned", id: entry.id, text: textIn(entry.content) });
      return added(state, { kind: "note", id: entry.id, tone: "plain", text: textIn(entry.content) });
    default:
      return state;
  }
}

function added(state: ScreenState, ...blocks: readonly Block[]): ScreenState {
  return { ...state, blocks: [...state.blocks, ...blocks] };
}

function compacted(entry: CompactionEntry): Block {
  return { kind: "compacted", id: entry.id, entry, warnings: [], isUndone: false };
}

function foldMessage(state: ScreenState, entry: MessageEntry): ScreenState {
  const { id, message } = entry;
  switch (message.role) {
    case "user": {
      const text = textIn(message.content);
      const from = provenance(entry) === "person" ? {} : { from: "program" as const };
      return added(state, { kind: "said", id, text, images: imagesIn(message.content), ...from });
    }
    case "assistant":
      return {
        ...state,
        blocks: [...state.blocks.filter((block) => !isDraft(block)), ...repliedBlocks(id, message, state)],
      };
    case "toolResult":
      return {
        ...state,
        blocks: state.blocks.map((block) => (isOf(block, message) ? withResult(block, message) : block)),
      };
    case "bashExecution":
      return added(state, {
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

function repliedBlocks(id: string, message: AssistantMessage, { blocks }: ScreenState): readonly Block[] {
  const drafts = blocks.filter((block) => isDraft(block) && block.kind === "answered");
  const broken = message.stopReason === "error" || message.stopReason === "aborted";
  let answers = 0;
  return message.content.flatMap((part, at): readonly Block[] => {
    const own = `${id}:${at}`;
    if (part.type === "thinking")
      return part.thinking.trim() === "" ? [] : [{ kind: "thought", id: own, text: part.thinking, isOpen: false }];
    if (part.type === "toolCall") return [callOf(part, broken)];
    const draft = drafts[answers++];
    const printed = draft?.kind === "answered" ? draft.printed : 0;
    return part.text.trim() === "" ? [] : [{ kind: "answered", id: own, text: part.text, isOpen: false, printed }];
  });
}

type Call = Extract<AssistantMessage["content"][number], { type: "toolCall" }>;

function callOf({ id, name, arguments: given }: Call, isBroken: boolean): Called {
  const state = isBroken ? "broken-off" : "waiting";
  return { kind: "called", id, tool: name, arguments: given, state, output: "", images: [] };
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
