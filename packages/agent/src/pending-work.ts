/** Finds open work in the log (tool calls without results, a missing reply, a draft), so that an interrupted run can resume. */

import type { AssistantMessage, Entry, LoadedBranch, ToolCallBlock } from "@pith/context";
import { mayBeLostMessage, QUEUE_TYPE } from "@pith/context/host";

/** What an interrupted run still has to do. */
export type PendingWork =
  | { readonly type: "results"; readonly calls: readonly OpenCall[] }
  | { readonly type: "reply" }
  /** The newest message cannot be read, so nothing is repeated and no request is sent. */
  | { readonly type: "damaged"; readonly entry: Entry }
  | { readonly type: "nothing" };

export interface OpenCall {
  readonly call: ToolCallBlock;
  /** The id of the entry of the reply that contains it. */
  readonly replyId: string;
  /** The id of the entry of its result. */
  readonly resultId: string;
  /** Whether the call was started, or may have been, without a result. */
  readonly mayHaveStarted: boolean;
}

/** The custom entry that is written before a call runs that must not run twice. */
export const INTENT_TYPE = "pith.intent";

/** The custom entry that records that the user stopped the turn before it. */
export const STOP_TYPE = "pith.stopped";

/** Whether the user stopped the newest turn. An unfinished turn without such an entry ended with a crash, a signal or a lost connection. */
export function wasStoppedByUser(entries: readonly Entry[]): boolean {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === STOP_TYPE);
  return (
    index >= 0 && !entries.slice(index).some((entry) => entry.type === "message" && entry.message.role !== "system")
  );
}

/** The newest message decides; failed replies are skipped, and custom messages count only if they were queued. Null if these entries have no such message. */
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
    if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") continue;
    return pendingAfterReply(toOpenCalls(message, entry.id), {
      answeredIds,
      startedIds,
      isOwnReply: REPLY_ID.test(entry.id),
    });
  }
  return null;
}

/** Whether the message was queued. A queued message is followed by a request. */
function wasQueued(id: string, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.type === "custom" && entry.customType === QUEUE_TYPE && Object(entry.data).id === id,
  );
}

/** The calls of a new reply. */
export function toOpenCalls({ content }: AssistantMessage, replyId: string): readonly OpenCall[] {
  return content
    .filter((block) => block.type === "toolCall")
    .map((call, index) => ({ call, replyId, resultId: `${replyId}-${index}`, mayHaveStarted: false }));
}

/** The ids of replies that this loop wrote: run, turn and attempt. After other replies (of other programs), a call may have started without an intent entry. */
const REPLY_ID = /^(.+)-(\d+)-\d+$/;
/** The id of a reply, and the position of the call. */
const RESULT_ID = /^(.+)-(\d+)-\d+-\d+$/;

/** The turn that wrote a reply or a tool result; null if this loop did not write the entry. */
export function findReplyTurn(entry: Entry): { readonly prefix: string; readonly number: number } | null {
  if (entry.type !== "message" || entry.message.role === "user") return null;
  const [, prefix, number] = (entry.message.role === "toolResult" ? RESULT_ID : REPLY_ID).exec(entry.id) ?? [];
  return prefix === undefined ? null : { prefix, number: Number(number) };
}

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
  // If two calls have the same id, one result answers only one of them.
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

/** The custom entry that holds a draft: a message that the user can edit and send. It is in the log, so it survives a restart. */
export const DRAFT_TYPE = "pith.draft";

/** The newest draft; null if there is none, or if the user has sent a message since. */
export function findDraft({ entries }: Pick<LoadedBranch, "entries">): string | null {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === DRAFT_TYPE);
  const entry = entries[index];
  if (entry?.type !== "custom") return null;
  const wasSent = entries.slice(index).some((each) => each.type === "message" && each.message.role === "user");
  // The data comes from a file and is not trusted.
  const { text } = Object(entry.data) as { readonly text?: unknown };
  return !wasSent && typeof text === "string" && text.trim() !== "" ? text : null;
}
