/** Reads from the log what a branch waits for (open tool calls, a reply, a draft), so that an interrupted run can resume. */

import type { AssistantMessage, Entry, LoadedBranch, ToolCallBlock } from "@pith/context";
import { mayBeLostMessage, QUEUE_TYPE } from "@pith/context/host";

export type PendingWork =
  | { readonly type: "results"; readonly calls: readonly OpenCall[] }
  | { readonly type: "reply" }
  /** What was said or done last cannot be read, so nothing is repeated and nobody is asked to go on. */
  | { readonly type: "damaged"; readonly entry: Entry }
  | { readonly type: "nothing" };

export interface OpenCall {
  readonly call: ToolCallBlock;
  /** The id that the entry of its result has. */
  readonly resultId: string;
  /** It was begun, or may have been, and nobody knows how far it came. */
  readonly mayHaveStarted: boolean;
}

/** The custom entry that says, before it is run, that a call will be which must not be run twice. */
export const INTENT_TYPE = "pith.intent";

/** The newest message decides, also one that no user said and that waited for its turn; a reply that failed is none. Null where these entries do not tell. */
export function findPendingWork(entries: readonly Entry[]): PendingWork | null {
  const answeredIds: string[] = [];
  const startedIds = new Set<unknown>();
  for (const entry of entries.toReversed()) {
    if (entry.type === "custom" && entry.customType === INTENT_TYPE) startedIds.add(Object(entry.data).callId);
    if (mayBeLostMessage(entry)) return { type: "damaged", entry };
    if (entry.type === "custom_message" && wasQueued(entry.id, entries)) return { type: "reply" };
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") return { type: "reply" };
    if (message.role === "toolResult") answeredIds.push(message.toolCallId);
    if (message.role !== "assistant" || isFailedReply(message)) continue;
    return pendingAfterReply(toOpenCalls(message, entry.id), {
      answeredIds,
      startedIds,
      isOwnReply: OWN_REPLY_ID.test(entry.id),
    });
  }
  return null;
}

/** Whether it stood in the queue: then a request was to follow it. */
function wasQueued(id: string, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.type === "custom" && entry.customType === QUEUE_TYPE && Object(entry.data).id === id,
  );
}

/** The calls of a reply, none of them answered yet. */
export function toOpenCalls({ content }: AssistantMessage, replyId: string): readonly OpenCall[] {
  return content
    .filter((block) => block.type === "toolCall")
    .map((call, index) => ({ call, resultId: `${replyId}-${index}`, mayHaveStarted: false }));
}

/** A reply that our loop has written is followed by an announcement of what must not run twice; of others nobody knows. */
const OWN_REPLY_ID = /-\d+-\d+$/;

interface CallProgress {
  readonly answeredIds: readonly string[];
  readonly startedIds: ReadonlySet<unknown>;
  readonly isOwnReply: boolean;
}

function pendingAfterReply(
  calls: readonly OpenCall[],
  { answeredIds, startedIds, isOwnReply }: CallProgress,
): PendingWork {
  if (calls.length === 0) return { type: "nothing" };
  const remainingIds = [...answeredIds];
  // Of two calls with one id, one result answers one.
  const openCalls = calls.filter(({ call }) => !removeFirst(remainingIds, call.id));
  if (openCalls.length === 0) return { type: "reply" };
  return {
    type: "results",
    calls: openCalls.map((openCall) => ({
      ...openCall,
      mayHaveStarted: !isOwnReply || startedIds.has(openCall.call.id),
    })),
  };
}

function removeFirst(ids: string[], id: string): boolean {
  const index = ids.indexOf(id);
  if (index >= 0) ids.splice(index, 1);
  return index >= 0;
}

function isFailedReply({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

/** The custom entry that holds a draft: a message to be read, changed and sent. It is in the log, so it is there after a restart. */
export const DRAFT_TYPE = "pith.draft";

/** What waits to be said here; null where nothing does, or somebody has spoken since. */
export function findDraft({ entries }: Pick<LoadedBranch, "entries">): string | null {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === DRAFT_TYPE);
  const entry = entries[index];
  if (entry?.type !== "custom") return null;
  const wasSent = entries.slice(index).some((each) => each.type === "message" && each.message.role === "user");
  // It comes from a file.
  const { text } = Object(entry.data) as { readonly text?: unknown };
  return !wasSent && typeof text === "string" && text.trim() !== "" ? text : null;
}
