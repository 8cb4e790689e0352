/** Messages that wait: in the log as soon as they are said, part of the conversation when their turn comes. */

import type { CustomMessageEntry, Entry } from "../entry.ts";
import type { UserMessage } from "../message.ts";

export interface Queued {
  /** The id that its message will have: once that is on the branch, it no longer waits. */
  readonly id: string;
  /** `steer`: for the next request. `followUp`: for when the model has no more to say. */
  readonly kind: "steer" | "followUp";
  readonly content: UserMessage["content"];
  /** Of a message that no user said. */
  readonly custom?: Pick<CustomMessageEntry, "customType" | "display" | "details">;
}

/** The custom entry of a message that waits; its data is the `Queued`. */
export const QUEUED = "pith.queued";

/** The custom entry that takes messages away before their turn; its data names their ids. */
export const UNQUEUED = "pith.unqueued";

/** What waits after this entry; the same list where it changes nothing. */
export function queueAfter(queue: readonly Queued[], entry: Entry): readonly Queued[] {
  if (entry.type === "message" || entry.type === "custom_message")
    return queue.some(({ id }) => id === entry.id) ? queue.filter(({ id }) => id !== entry.id) : queue;
  if (entry.type !== "custom") return queue;
  if (entry.customType === QUEUED) return [...queue, ...queueIn([entry.data])];
  if (entry.customType !== UNQUEUED) return queue;
  const { ids } = Object(entry.data) as { readonly ids?: unknown };
  return Array.isArray(ids) ? queue.filter(({ id }) => !ids.includes(id)) : queue;
}

/** It comes from a file: what is no message that waits is left out. */
export function queueIn(value: unknown): readonly Queued[] {
  return Array.isArray(value) ? value.filter(isQueued) : [];
}

function isQueued(value: unknown): value is Queued {
  const { id, kind, content, custom } = Object(value) as Readonly<Record<string, unknown>>;
  if (custom !== undefined && typeof Object(custom).customType !== "string") return false;
  const isKnown = kind === "steer" || kind === "followUp";
  return typeof id === "string" && isKnown && (typeof content === "string" || isBlocks(content));
}

function isBlocks(content: unknown): boolean {
  return Array.isArray(content) && content.every((block) => ["text", "image"].includes(Object(block).type));
}
