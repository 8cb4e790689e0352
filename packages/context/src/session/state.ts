/** Reduces the entries of a branch to the state at its leaf: model, thinking level, tools, pins and queued messages. */

import {
  type CompactionEntry,
  type ContextEditEntry,
  type CustomMessageEntry,
  type Entry,
  entryReference,
  PIN_TYPE,
  readPithDetails,
  UNPIN_TYPE,
} from "../entry.ts";
import { isObject } from "../json.ts";
import type { CustomMessage, UserMessage } from "../message.ts";

/** The state at a leaf. */
export interface SessionState {
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Null if never set: all tools of the host are active. */
  readonly activeTools: readonly string[] | null;
  readonly pins: readonly Pin[];
  /** In the order in which they were queued. */
  readonly queue: readonly QueuedMessage[];
}

/** The state of an empty session. */
export const initialSessionState: SessionState = {
  model: null,
  thinkingLevel: "off",
  activeTools: null,
  pins: [],
  queue: [],
};

/** Returns the state after this entry. Reduce a branch with it, beginning with `initialSessionState`. */
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

// Most entries change no pins, so the same object is returned.
function withPins(state: SessionState, pins: SessionState["pins"]): SessionState {
  return pins === state.pins ? state : { ...state, pins };
}

function withQueue(state: SessionState, queue: SessionState["queue"]): SessionState {
  return queue === state.queue ? state : { ...state, queue };
}

// Most assistant messages come from the current model, so the same object is returned.
function withModel(state: SessionState, model: NonNullable<SessionState["model"]>): SessionState {
  const isSameModel =
    state.model !== null && state.model.provider === model.provider && state.model.modelId === model.modelId;
  return isSameModel ? state : { ...state, model };
}

/** Returns the state stored in a compaction, so that no earlier entry must be read; null if it is missing or incomplete. */
export function stateInCompaction(entry: Entry): SessionState | null {
  if (entry.type !== "compaction") return null;
  const state = readPithDetails(entry.details).carried as Partial<SessionState> | undefined;
  return isSessionState(state) ? { ...state, pins: parsePins(state.pins), queue: parseQueue(state.queue) } : null;
}

// The value comes from a file that another version may have written or a user may have edited.
function isSessionState(value: Partial<SessionState> | null | undefined): value is SessionState {
  if (typeof value?.thinkingLevel !== "string") return false;
  const { model, activeTools } = value;
  return (model === null || typeof model?.modelId === "string") && (activeTools === null || Array.isArray(activeTools));
}

/** Stores the state at each compaction in its details, so that readers need no earlier entry. */
export function addStateToCompactions(entries: readonly Entry[], initialState: SessionState): readonly Entry[] {
  let state = initialState;
  return entries.map((entry) => {
    const result =
      entry.type === "compaction" && stateInCompaction(entry) === null ? addStateToDetails(entry, state) : entry;
    state = reduceState(state, result);
    return result;
  });
}

// Details of extensions stay. If the details are not an object, the state cannot be stored.
function addStateToDetails(entry: CompactionEntry, state: SessionState): CompactionEntry {
  const { details = {} } = entry;
  if (!isObject(details)) return entry;
  return { ...entry, details: { ...details, pith: { ...(isObject(details.pith) && details.pith), carried: state } } };
}

/** A text that stays in the context through compactions. */
export interface Pin {
  /** The id of the entry that created the pin; used to remove it. */
  readonly id: string;
  readonly text: string;
  /** The pinned entry; absent if the text was written as a pin. */
  readonly entryId?: string;
  /** The reference of that entry; absent in pins of earlier versions. */
  readonly reference?: string;
}

/** Returns the pins after this entry; the same array if nothing changes. */
function reducePins(pins: readonly Pin[], entry: Entry): readonly Pin[] {
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

// An edit of an entry that was written as a pin changes the pin; an edit that removes the entry removes it.
function editPins(pins: readonly Pin[], { targetId, replacement }: ContextEditEntry): readonly Pin[] {
  const isTarget = ({ id, entryId }: Pin): boolean => id === targetId && entryId === undefined;
  if (!pins.some(isTarget)) return pins;
  return pins.flatMap((pin) => {
    if (!isTarget(pin)) return [pin];
    return replacement ? [{ ...pin, text: pinContentText(replacement.content as CustomMessage["content"]) }] : [];
  });
}

function pinContentText(content: CustomMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block?.type === "text" ? block.text : [])).join("\n");
}

/** Parses the pins in a compaction and drops invalid ones. */
function parsePins(value: unknown): readonly Pin[] {
  return Array.isArray(value) ? value.filter(isPin) : [];
}

function isPin(value: unknown): value is Pin {
  const { id, text, entryId, reference } = Object(value) as Readonly<Record<string, unknown>>;
  const isOptionalString = (field: unknown): boolean => field === undefined || typeof field === "string";
  return typeof id === "string" && typeof text === "string" && isOptionalString(entryId) && isOptionalString(reference);
}

/** A message in the queue: in the log as soon as it is sent, in the conversation when it is delivered. */
export interface QueuedMessage {
  /** The id of the future message entry. Once that entry is on the branch, the message leaves the queue. */
  readonly id: string;
  /** `steer` is delivered with the next request, `followUp` when the model has finished its turn. */
  readonly kind: "steer" | "followUp";
  readonly content: UserMessage["content"];
  /** The fields of a custom message; absent for a message of the user. */
  readonly custom?: Pick<CustomMessageEntry, "customType" | "display" | "details">;
}

/** The custom type of an entry that queues a message; its data is the `QueuedMessage`. */
export const QUEUE_TYPE = "pith.queued";

/** The custom type of an entry that removes messages from the queue; its data has their ids. */
export const UNQUEUE_TYPE = "pith.unqueued";

/** Returns the queue after this entry; the same array if nothing changes. */
export function reduceQueue(queue: readonly QueuedMessage[], entry: Entry): readonly QueuedMessage[] {
  if (entry.type === "message" || entry.type === "custom_message")
    return queue.some(({ id }) => id === entry.id) ? queue.filter(({ id }) => id !== entry.id) : queue;
  if (entry.type !== "custom") return queue;
  if (entry.customType === QUEUE_TYPE) return [...queue, ...parseQueue([entry.data])];
  if (entry.customType !== UNQUEUE_TYPE) return queue;
  const { ids } = Object(entry.data) as { readonly ids?: unknown };
  return Array.isArray(ids) ? queue.filter(({ id }) => !ids.includes(id)) : queue;
}

/** Parses queued messages from a file and drops invalid ones. */
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
