/** What a summariser is shown of a session: a block for each entry, of which nobody but us says who speaks in it (B37). */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, Message } from "../message.ts";
import { entryMessage } from "../reading/entry-message.ts";
import { latestEdit } from "../reading/latest-edit.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import { escaped } from "./escaped.ts";
import { type Part, partsOf } from "./transcript-parts.ts";

export interface TranscriptBlock {
  readonly entryId: string;
  readonly text: string;
  readonly tokens: number;
}

/** Messages as one text, a blank line between them. */
export function serializeConversation(messages: readonly Message[]): string {
  const parts = messages.flatMap((message) => partsOf(message, { entry: asEntry(message), edits: [], handle: "" }));
  return parts.map((part) => written(part, "")).join("\n\n");
}

/** A block for each entry that the model saw, with its number behind its first label: `[User]: [e3] fix the login`. */
export function transcriptOf(
  entries: readonly Entry[],
  { edits }: { readonly edits: readonly ContextEditEntry[] },
): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = [];
  for (const entry of entries) {
    const message = entry.type === "compaction" ? null : entryMessage(entry, latestEdit(edits, entry));
    const parts = message && wasSeen(message) ? partsOf(message, { entry, edits, handle: `entry:${entry.id}` }) : [];
    if (parts.length === 0) continue;
    const number = `[e${blocks.length + 1}] `;
    const text = parts.map((part, at) => written(part, at === 0 ? number : "")).join("\n\n");
    blocks.push({ entryId: entry.id, text, tokens: textTokens(text) });
  }
  return blocks;
}

function asEntry(message: Message): Entry {
  return { type: "message", id: "", parentId: null, timestamp: "", message };
}

function wasSeen(message: AgentMessage): boolean {
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

// SUM2: whatever was put together, from whatever fields, is escaped as one text.
function written({ label, text }: Part, number: string): string {
  return `[${label}]: ${number}${escaped(text)}`;
}
