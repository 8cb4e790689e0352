/** Finds the call that a tool result answers, and the result of a call, in the log of a session. */

import type { AssistantMessage, Entry, MessageEntry, ToolCallBlock, ToolResultMessage } from "@pith/context";
import type { Store } from "@pith/context/store";

/** The entries of a session by their ids and numbers. */
export type EntryLookup = Pick<Store, "entry" | "entryByNumber">;

/** An entry with the result of a tool call. */
export type ResultEntry = MessageEntry & { readonly message: ToolResultMessage };

export function isResultEntry(entry: Entry | null | undefined): entry is ResultEntry {
  return entry?.type === "message" && entry.message.role === "toolResult";
}

/** A call and the reply that contains it. */
export interface FoundCall {
  readonly call: ToolCallBlock;
  readonly entry: Entry;
}

/** The call is in the reply before the results of its turn. */
export async function findCall(
  { parentId, message }: ResultEntry,
  entries: Pick<EntryLookup, "entry">,
): Promise<FoundCall | null> {
  let parent = parentId;
  for (let step = 0; step < MAX_STEPS && parent !== null; step++) {
    const before = await entries.entry(parent);
    if (before?.type === "message" && before.message.role === "assistant") {
      const call = listCalls(before).find(({ id }) => id === message.toolCallId);
      return call ? { call, entry: before } : null;
    }
    parent = before?.parentId ?? null;
  }
  return null;
}

/** The result follows the reply with the call, after the results of other calls. */
export async function findResult(
  { number }: Entry,
  { id }: ToolCallBlock,
  entries: EntryLookup,
): Promise<ResultEntry | null> {
  for (let step = 1; step <= MAX_STEPS && number !== undefined; step++) {
    const entry = await entries.entryByNumber(number + step);
    if (!entry) return null;
    if (isResultEntry(entry) && entry.message.toolCallId === id) return entry;
  }
  return null;
}

/** A reply may have many calls, each with an entry before it that records the intent. */
const MAX_STEPS = 60;

/** The calls of a reply; empty for another entry. */
export function listCalls(entry: Entry): readonly ToolCallBlock[] {
  return listBlocks(entry).filter((block) => block?.type === "toolCall");
}

/** The texts of a reply; empty for another entry. */
export function listTexts(entry: Entry): readonly string[] {
  return listBlocks(entry).flatMap((block) => (block?.type === "text" ? [block.text] : []));
}

// The content comes from a file and is not trusted.
function listBlocks(entry: Entry): AssistantMessage["content"] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return Array.isArray(entry.message.content) ? entry.message.content : [];
}

/** The argument that says most about a call, such as the path or the command. */
export function mainArgument({ arguments: args }: ToolCallBlock): string {
  return String(Object.values(Object(args)).find((value) => typeof value === "string") ?? "");
}
