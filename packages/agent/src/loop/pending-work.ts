/** Reads from the log what a branch waits for (open tool calls, a reply, a draft), so that an interrupted run can resume. */

import type { AssistantMessage, Entry, LoadedBranch, ToolCallBlock } from "@pith/context";
import { mayBeLostMessage, QUEUE_TYPE } from "@pith/context/host";

export type Next =
  | { readonly type: "results"; readonly calls: readonly OpenCall[] }
  | { readonly type: "reply" }
  /** What was said or done last cannot be read, so nothing is repeated and nobody is asked to go on. */
  | { readonly type: "damaged"; readonly entry: Entry }
  | { readonly type: "nothing" };

export interface OpenCall {
  readonly call: ToolCallBlock;
  /** The id that the entry of its result has. */
  readonly id: string;
  /** It was begun, or may have been, and nobody knows how far it came. */
  readonly isBegun: boolean;
}

/** The custom entry that says, before it is run, that a call will be which must not be run twice. */
export const INTENT = "pith.intent";

/** The newest message decides, also one that no user said and that waited for its turn; a reply that failed is none. Null where these entries do not tell. */
export function nextAt(entries: readonly Entry[]): Next | null {
  const results: string[] = [];
  const begun = new Set<unknown>();
  for (const entry of entries.toReversed()) {
    if (entry.type === "custom" && entry.customType === INTENT) begun.add(Object(entry.data).callId);
    if (mayBeLostMessage(entry)) return { type: "damaged", entry };
    if (entry.type === "custom_message" && hasWaited(entry.id, entries)) return { type: "reply" };
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") return { type: "reply" };
    if (message.role === "toolResult") results.push(message.toolCallId);
    if (message.role !== "assistant" || isFailed(message)) continue;
    return afterReply(callsOf(message, entry.id), { results, begun, isOurs: OURS.test(entry.id) });
  }
  return null;
}

/** Whether it stood in the queue: then a request was to follow it. */
function hasWaited(id: string, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.type === "custom" && entry.customType === QUEUE_TYPE && Object(entry.data).id === id,
  );
}

/** The calls of a reply, none of them answered yet. */
export function callsOf({ content }: AssistantMessage, replyId: string): readonly OpenCall[] {
  return content
    .filter((block) => block.type === "toolCall")
    .map((call, at) => ({ call, id: `${replyId}-${at}`, isBegun: false }));
}

/** A reply that our loop has written is followed by an announcement of what must not run twice; of others nobody knows. */
const OURS = /-\d+-\d+$/;

interface Known {
  readonly results: readonly string[];
  readonly begun: ReadonlySet<unknown>;
  readonly isOurs: boolean;
}

function afterReply(calls: readonly OpenCall[], { results, begun, isOurs }: Known): Next {
  if (calls.length === 0) return { type: "nothing" };
  const left = [...results];
  // Of two calls with one id, one result answers one.
  const open = calls.filter(({ call }) => !taken(left, call.id));
  if (open.length === 0) return { type: "reply" };
  return { type: "results", calls: open.map((each) => ({ ...each, isBegun: !isOurs || begun.has(each.call.id) })) };
}

function taken(left: string[], id: string): boolean {
  const at = left.indexOf(id);
  if (at >= 0) left.splice(at, 1);
  return at >= 0;
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

/** The custom entry that holds a draft: a message to be read, changed and sent. It is in the log, so it is there after a restart. */
export const DRAFT = "pith.draft";

/** What waits to be said here; null where nothing does, or somebody has spoken since. */
export function draftAt({ entries }: Pick<LoadedBranch, "entries">): string | null {
  const at = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === DRAFT);
  const entry = entries[at];
  if (entry?.type !== "custom") return null;
  const isSaid = entries.slice(at).some((each) => each.type === "message" && each.message.role === "user");
  // It comes from a file.
  const { text } = Object(entry.data) as { readonly text?: unknown };
  return !isSaid && typeof text === "string" && text.trim() !== "" ? text : null;
}
