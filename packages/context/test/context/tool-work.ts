/** Creates entries with tool calls and results, with ids e1, e2 … in order. */

import type { Entry } from "../../src/entry.ts";
import type { AgentMessage } from "../../src/message.ts";
import { emptyUsage } from "../../src/testing/story.ts";

/** The fields that a test sets; the rest has defaults, and any value is allowed. */
export type EntryFields = Readonly<Record<string, unknown>>;

export function createEntries(...fieldLists: readonly (EntryFields | readonly EntryFields[])[]): readonly Entry[] {
  return fieldLists.flat().map((fields, index) => ({
    id: `e${index + 1}`,
    parentId: index === 0 ? null : `e${index}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    ...fields,
  })) as unknown as readonly Entry[];
}

/** A call and its result; without `result` the call has none. */
export function toolCallEntries(call: EntryFields, result?: EntryFields): readonly EntryFields[] {
  calls += 1;
  const id = `call ${calls}`;
  const callEntry = messageEntry({
    role: "assistant",
    content: [{ type: "toolCall", id, name: "tool", ...call }],
    ...reply,
  });
  const resultMessage = {
    role: "toolResult",
    toolCallId: id,
    toolName: "tool",
    content: [],
    isError: false,
    ...result,
  };
  return result ? [callEntry, messageEntry(resultMessage)] : [callEntry];
}

let calls = 0;

/** A shell line that a tool ran. */
export function bashCallEntries(command: unknown, result: EntryFields = {}): readonly EntryFields[] {
  return toolCallEntries({ name: "bash", arguments: { command } }, result);
}

/** A shell line that the user ran. */
export function userBashEntry(command: string, more: EntryFields = {}): EntryFields {
  return messageEntry({
    role: "bashExecution",
    command,
    output: "",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    ...more,
  });
}

export function messageEntry(message: EntryFields): EntryFields {
  return { type: "message", message: { timestamp: 1, ...message } as unknown as AgentMessage };
}

export function compactionEntry(details: unknown, more: EntryFields = {}): EntryFields {
  return { type: "compaction", summary: "so far", firstKeptEntryId: "nobody", tokensBefore: 1, details, ...more };
}

export function branchSummaryEntry(details: unknown): EntryFields {
  return { type: "branch_summary", fromId: "e1", summary: "tried", details };
}

export const text = (content: string): EntryFields => ({ content: [{ type: "text", text: content }] });

const reply = {
  api: "anthropic-messages",
  provider: "anthropic",
  model: "storyteller",
  usage: emptyUsage,
  stopReason: "toolUse",
};
