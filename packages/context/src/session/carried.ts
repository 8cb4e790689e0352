/** What holds until it is changed: model, thinking level, active tools. One fold along the branch; each kind of state is one case. */

import type { Entry } from "../entry.ts";

export interface Carried {
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Null: never said, so all that the host offers. */
  readonly activeTools: readonly string[] | null;
}

export const nothingCarried: Carried = { model: null, thinkingLevel: "off", activeTools: null };

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
        : state;
    case "compaction":
      return carriedBy(entry) ?? state;
    case "branch_summary":
    case "custom_message":
    case "context_edit":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
    case "gap":
      return state;
  }
}

/** The state a compaction of ours carries by value, so that nothing before it needs to be read. */
export function carriedBy(entry: Entry): Carried | null {
  if (entry.type !== "compaction") return null;
  const details = entry.details as { readonly pith?: { readonly carried?: Carried } } | null | undefined;
  return details?.pith?.carried ?? null;
}

// Most assistant messages come from the model already known: no new object for them.
function withModel(state: Carried, model: NonNullable<Carried["model"]>): Carried {
  const same = state.model !== null && state.model.provider === model.provider && state.model.modelId === model.modelId;
  return same ? state : { ...state, model };
}
