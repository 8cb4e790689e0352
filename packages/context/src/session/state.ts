/** Folds the entries of a branch into the state at its leaf: model, thinking level, tools, pins and queued messages. */

import {
  type CompactionEntry,
  type ContextEditEntry,
  type CustomMessageEntry,
  type Entry,
  PIN_TYPE,
  UNPIN_TYPE,
} from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";
import { isObject } from "../json.ts";
import type { CustomMessage, UserMessage } from "../message.ts";
import { entryReference } from "../references.ts";

export interface Pin {
  /** Of the entry that pinned it; by this it is taken away. */
  readonly id: string;
  readonly text: string;
  /** The entry whose words these are; absent where they were said as a pin. */
  readonly entryId?: string;
  /** What opens that entry; absent in pins of earlier versions. */
  readonly reference?: string;
}

/** The pins after this entry; the same list where it changes none. */
export function reducePins(pins: readonly Pin[], entry: Entry): readonly Pin[] {
  if (entry.type === "context_edit") return entry.pith?.reduced ? pins : editPins(pins, entry);
  if (entry.type === "custom_message" && entry.customType === PIN_TYPE)
    return [...pins, { id: entry.id, text: pinContentText(entry.content), reference: entryReference(entry) }];
  if (entry.type !== "custom") return pins;
  const data = Object(entry.data) as Readonly<Record<string, unknown>>;
  if (entry.customType === UNPIN_TYPE) return pins.filter(({ id }) => id !== data.pin);
  if (entry.customType !== PIN_TYPE || typeof data.text !== "string" || typeof data.entryId !== "string") return pins;
  const reference = typeof data.reference === "string" ? { reference: data.reference } : {};
  return [...pins, { id: entry.id, text: data.text, entryId: data.entryId, ...reference }];
}

// Words that were said as a pin are pinned as they are changed, and not at all once they are removed.
function editPins(pins: readonly Pin[], { targetId, replacement }: ContextEditEntry): readonly Pin[] {
  const isTarget = ({ id, entryId }: Pin): boolean => id === targetId && entryId === undefined;
  if (!pins.some(isTarget)) return pins;
  return pins.flatMap((pin) => {
    if (!isTarget(pin)) return [pin];
    return replacement ? [{ ...pin, text: pinContentText(replacement.content as CustomMessage["content"]) }] : [];
  });
}

/** The pins in a compaction of ours; it comes from a file, so what is no pin is left out. */
export function parsePins(value: unknown): readonly Pin[] {
  return Array.isArray(value) ? value.filter(isPin) : [];
}

function isPin(value: unknown): value is Pin {
  const { id, text, entryId, reference } = Object(value) as Readonly<Record<string, unknown>>;
  const isOptionalString = (field: unknown): boolean => field === undefined || typeof field === "string";
  return typeof id === "string" && typeof text === "string" && isOptionalString(entryId) && isOptionalString(reference);
}

function pinContentText(content: CustomMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block?.type === "text" ? block.text : [])).join("\n");
}

/** A message that waits: in the log as soon as it is sent, part of the conversation when its turn comes. */
export interface QueuedMessage {
  /** The id that its message will have: once that is on the branch, it no longer waits. */
  readonly id: string;
  /** `steer`: for the next request. `followUp`: for when the model has no more to say. */
  readonly kind: "steer" | "followUp";
  readonly content: UserMessage["content"];
  /** Of a message that no user said. */
  readonly custom?: Pick<CustomMessageEntry, "customType" | "display" | "details">;
}

/** The custom entry of a message that waits; its data is the `Queued`. */
export const QUEUE_TYPE = "pith.queued";

/** The custom entry that takes messages away before their turn; its data names their ids. */
export const UNQUEUE_TYPE = "pith.unqueued";

/** What waits after this entry; the same list where it changes nothing. */
export function reduceQueue(queue: readonly QueuedMessage[], entry: Entry): readonly QueuedMessage[] {
  if (entry.type === "message" || entry.type === "custom_message")
    return queue.some(({ id }) => id === entry.id) ? queue.filter(({ id }) => id !== entry.id) : queue;
  if (entry.type !== "custom") return queue;
  if (entry.customType === QUEUE_TYPE) return [...queue, ...parseQueue([entry.data])];
  if (entry.customType !== UNQUEUE_TYPE) return queue;
  const { ids } = Object(entry.data) as { readonly ids?: unknown };
  return Array.isArray(ids) ? queue.filter(({ id }) => !ids.includes(id)) : queue;
}

/** It comes from a file: what is no message that waits is left out. */
export function parseQueue(value: unknown): readonly QueuedMessage[] {
  return Array.isArray(value) ? value.filter(isQueuedMessage) : [];
}

function isQueuedMessage(value: unknown): value is QueuedMessage {
  const { id, kind, content, custom } = Object(value) as Readonly<Record<string, unknown>>;
  if (custom !== undefined && typeof Object(custom).customType !== "string") return false;
  const isKnown = kind === "steer" || kind === "followUp";
  return typeof id === "string" && isKnown && (typeof content === "string" || isBlockList(content));
}

function isBlockList(content: unknown): boolean {
  return Array.isArray(content) && content.every((block) => ["text", "image"].includes(Object(block).type));
}

export interface SessionState {
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Null: never said, so all that the host offers. */
  readonly activeTools: readonly string[] | null;
  readonly pins: readonly Pin[];
  /** In the order in which they were said. */
  readonly queue: readonly QueuedMessage[];
}

/** What holds before anything was said. */
export const initialSessionState: SessionState = {
  model: null,
  thinkingLevel: "off",
  activeTools: null,
  pins: [],
  queue: [],
};

/** What holds after this entry; a fold along a branch, beginning with `nothingCarried`. */
export function reduceState(state: SessionState, entry: Entry): SessionState {
  switch (entry.type) {
    case "thinking_level_change":
      return { ...state, thinkingLevel: entry.thinkingLevel };
    case "model_change":
      return { ...state, model: { provider: entry.provider, modelId: entry.modelId } };
    case "active_tools_change":
      return { ...state, activeTools: entry.activeToolNames };
    case "message":
      return entry.message.role === "assistant"
        ? withModel(state, { provider: entry.message.provider, modelId: entry.message.model })
        : withQueue(state, reduceQueue(state.queue, entry));
    case "compaction":
      return { ...state, ...stateInCompaction(entry) };
    case "custom":
    case "custom_message":
      return withQueue(withPins(state, reducePins(state.pins, entry)), reduceQueue(state.queue, entry));
    case "context_edit":
      return withPins(state, reducePins(state.pins, entry));
    case "branch_summary":
    case "label":
    case "session_info":
    case "usage":
    case "unknown":
    case "gap":
      return state;
  }
}

/** The state a compaction of ours carries by value, so that nothing before it needs to be read; null if it is not all there. */
export function stateInCompaction(entry: Entry): SessionState | null {
  if (entry.type !== "compaction") return null;
  const carried = readPithDetails(entry.details).carried as Partial<SessionState> | undefined;
  return isSessionState(carried)
    ? { ...carried, pins: parsePins(carried.pins), queue: parseQueue(carried.queue) }
    : null;
}

/** The same entries, with the state at its place written into each compaction: so no reader needs to look before it. */
export function addStateToCompactions(entries: readonly Entry[], initialState: SessionState): readonly Entry[] {
  let state = initialState;
  return entries.map((entry) => {
    const result =
      entry.type === "compaction" && stateInCompaction(entry) === null ? addStateToDetails(entry, state) : entry;
    state = reduceState(state, result);
    return result;
  });
}

// What others put into `details` stays; where it is no object there is no room for ours.
function addStateToDetails(entry: CompactionEntry, carried: SessionState): CompactionEntry {
  const { details = {} } = entry;
  if (!isObject(details)) return entry;
  return { ...entry, details: { ...details, pith: { ...(isObject(details.pith) && details.pith), carried } } };
}

// It comes from a file: another version, or a hand, may have written it.
function isSessionState(value: Partial<SessionState> | null | undefined): value is SessionState {
  if (typeof value?.thinkingLevel !== "string") return false;
  const { model, activeTools } = value;
  return (model === null || typeof model?.modelId === "string") && (activeTools === null || Array.isArray(activeTools));
}

// Most entries change none of them: no new object for those.
function withPins(state: SessionState, pins: SessionState["pins"]): SessionState {
  return pins === state.pins ? state : { ...state, pins };
}

function withQueue(state: SessionState, queue: SessionState["queue"]): SessionState {
  return queue === state.queue ? state : { ...state, queue };
}

// Most assistant messages come from the model already known: no new object for them.
function withModel(state: SessionState, model: NonNullable<SessionState["model"]>): SessionState {
  const isSameModel =
    state.model !== null && state.model.provider === model.provider && state.model.modelId === model.modelId;
  return isSameModel ? state : { ...state, model };
}
