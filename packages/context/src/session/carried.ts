/** What holds until it is changed: model, thinking level, tools, pins, messages that wait. One fold along the branch; each kind of state is one case. */

import type { CompactionEntry, Entry } from "../entry.ts";
import { type Pin, pinsAfter, pinsIn } from "./pins.ts";
import { type Queued, queueAfter, queueIn } from "./queue.ts";

export interface Carried {
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Null: never said, so all that the host offers. */
  readonly activeTools: readonly string[] | null;
  readonly pins: readonly Pin[];
  /** In the order in which they were said. */
  readonly queue: readonly Queued[];
}

/** What holds before anything was said. */
export const nothingCarried: Carried = { model: null, thinkingLevel: "off", activeTools: null, pins: [], queue: [] };

/** What holds after this entry; a fold along a branch, beginning with `nothingCarried`. */
export function carry(state: Carried, entry: Entry): Carried {
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
        : withQueue(state, queueAfter(state.queue, entry));
    case "compaction":
      return { ...state, ...carriedBy(entry) };
    case "custom":
    case "custom_message":
      return withQueue(withPins(state, pinsAfter(state.pins, entry)), queueAfter(state.queue, entry));
    case "context_edit":
      return withPins(state, pinsAfter(state.pins, entry));
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
export function carriedBy(entry: Entry): Carried | null {
  if (entry.type !== "compaction") return null;
  const details = entry.details as { readonly pith?: { readonly carried?: Partial<Carried> } } | null | undefined;
  const carried = details?.pith?.carried;
  return isCarried(carried) ? { ...carried, pins: pinsIn(carried.pins), queue: queueIn(carried.queue) } : null;
}

/** The same entries, with the state at its place written into each compaction: so no reader needs to look before it. */
export function carrying(entries: readonly Entry[], before: Carried): readonly Entry[] {
  let state = before;
  return entries.map((entry) => {
    const marked = entry.type === "compaction" && carriedBy(entry) === null ? withCarried(entry, state) : entry;
    state = carry(state, marked);
    return marked;
  });
}

// What others put into `details` stays; where it is no object there is no room for ours.
function withCarried(entry: CompactionEntry, carried: Carried): CompactionEntry {
  const { details = {} } = entry;
  if (!isPlain(details)) return entry;
  return { ...entry, details: { ...details, pith: { ...(isPlain(details.pith) && details.pith), carried } } };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// It comes from a file: another version, or a hand, may have written it.
function isCarried(value: Partial<Carried> | null | undefined): value is Carried {
  if (typeof value?.thinkingLevel !== "string") return false;
  const { model, activeTools } = value;
  return (model === null || typeof model?.modelId === "string") && (activeTools === null || Array.isArray(activeTools));
}

// Most entries change none of them: no new object for those.
function withPins(state: Carried, pins: Carried["pins"]): Carried {
  return pins === state.pins ? state : { ...state, pins };
}

function withQueue(state: Carried, queue: Carried["queue"]): Carried {
  return queue === state.queue ? state : { ...state, queue };
}

// Most assistant messages come from the model already known: no new object for them.
function withModel(state: Carried, model: NonNullable<Carried["model"]>): Carried {
  const same = state.model !== null && state.model.provider === model.provider && state.model.modelId === model.modelId;
  return same ? state : { ...state, model };
}
