/** What goes wrong or is worth knowing stands in the transcript, though it is no entry. Pure. */

import type { AgentEvent } from "@pith/agent";
import { noteOn } from "../../../printing/note-on.ts";
import type { Note } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";

export function noted(state: ScreenState, event: AgentEvent): ScreenState {
  const note = noteIn(event);
  if (note === null) return state;
  const id = `note:${state.blocks.length}:${note.text.length}`;
  return { ...state, blocks: [...state.blocks, { kind: "note", id, ...note }] };
}

type Words = Pick<Note, "tone" | "text">;

function noteIn(event: AgentEvent): Words | null {
  switch (event.type) {
    case "agent_end":
      return event.end.type === "failed" ? { tone: "bad", text: event.end.why } : null;
    case "compaction_failed":
      return { tone: "bad", text: event.errorMessage };
    case "compaction_skipped":
    case "compaction_soft_threshold":
    case "secrets_redacted":
      return plainNote(event);
    default:
      return null;
  }
}

function plainNote(event: AgentEvent): Words | null {
  const text = noteOn(event, []);
  return text === null ? null : { tone: "warning", text: text.replace(/^· /, "") };
}
