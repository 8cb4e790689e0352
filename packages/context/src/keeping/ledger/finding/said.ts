/** What was said in entries, as edits have left it: what was taken out of the context does not come back by way of the ledger. */

import type { Entry } from "../../../entry.ts";
import type { AgentMessage } from "../../../message.ts";
import { entryMessage } from "../../../reading/entry-message.ts";
import { latestEdit } from "../../../reading/latest-edit.ts";
import { LISTED, referenceOf } from "../../../reading/references.ts";
import { blobOf } from "../../../session/blob-block.ts";
import { isObject } from "../../../session/codec/line/read-line.ts";

export interface Said {
  readonly entryId: string;
  readonly message: AgentMessage;
  /** As it stands in the log. */
  readonly unedited: AgentMessage;
}

export function saidIn(entries: readonly Entry[]): readonly Said[] {
  const edits = entries.filter((entry) => entry.type === "context_edit");
  return entries.flatMap((entry) => {
    const message = told(entry, entryMessage(entry, latestEdit(edits, entry)));
    const unedited = told(entry, entryMessage(entry, undefined));
    return message && unedited && !isPrivate(message) ? [{ entryId: entry.id, message, unedited }] : [];
  });
}

// SKL6: the words of a skill are its own, and come back with it.
function told(entry: Entry, message: AgentMessage | null): AgentMessage | null {
  if (message?.role === "custom" && message.customType === LISTED) return null;
  const isReference = message && "content" in message && referenceOf(entry) !== null;
  return isReference ? ({ ...message, content: [] } as AgentMessage) : message;
}

// LED6: a shell line that the user keeps from the model has said nothing.
function isPrivate(message: AgentMessage): boolean {
  return message.role === "bashExecution" && Boolean(message.excludeFromContext);
}

/** Without the texts that stand for a blob. Summaries are told by ledgers of their own, system messages by nobody. */
export function textsOf(message: AgentMessage): readonly string[] {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return typeof message.content === "string" ? [message.content] : blocksOf(message).flatMap(textOf);
    case "bashExecution":
      return [message.command, message.output].filter((text) => typeof text === "string");
    case "system":
    case "compactionSummary":
    case "branchSummary":
      return [];
  }
}

/** Files are not checked block by block, so each may be anything. */
export function blocksOf(message: AgentMessage): readonly unknown[] {
  return "content" in message && Array.isArray(message.content) ? message.content : [];
}

function textOf(block: unknown): readonly string[] {
  if (!isObject(block) || block.type !== "text" || blobOf(block)) return [];
  return typeof block.text === "string" ? [block.text] : [];
}
