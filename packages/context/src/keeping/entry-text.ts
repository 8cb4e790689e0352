/** The words of an entry as the context has them, as one text; images are named, not shown. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage } from "../message.ts";
import { entryMessage } from "../reading/entry-message.ts";
import { latestEdit } from "../reading/latest-edit.ts";

/** Empty for an entry without words, and for one that an edit has removed. */
export function entryWords(entry: Entry, edits: readonly ContextEditEntry[] = []): string {
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message ? messageWords(message) : "";
}

function messageWords(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return `${message.command}\n${message.output}`;
    case "compactionSummary":
    case "branchSummary":
      return message.summary;
    case "system":
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return contentWords(message.content);
  }
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap(blockWords).join("\n");
}

function blockWords(block: { readonly type?: unknown; readonly text?: unknown } | null): readonly string[] {
  if (block?.type === "text" && typeof block.text === "string") return [block.text];
  return block?.type === "image" ? ["[image]"] : [];
}
