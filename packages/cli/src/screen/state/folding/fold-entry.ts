/** An entry of the log becomes what is shown of it; what was drafted of it while it came makes room. Pure. */

import {
  type AssistantMessage,
  type BashExecutionMessage,
  type Entry,
  type ImageBlock,
  type MessageEntry,
  PIN,
  provenance,
  type TextBlock,
  type ToolResultMessage,
} from "@pith/context";
import { saidWords } from "../../../prompting/said-words.ts";
import { type Block, type Called, isDraft, type Said, type ShellLine } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { added, withNote } from "./added.ts";
import { foldReply } from "./fold-reply.ts";

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
      if (entry.customType === PIN) return added(state, { kind: "pinned", id: entry.id, text: textIn(entry.content) });
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
  const from = provenance(entry) === "person" ? {} : { from: "program" as const };
  return { kind: "said", id: entry.id, text: saidWords(content), images: imagesIn(content), ...from };
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
