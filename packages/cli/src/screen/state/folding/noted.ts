/** What goes wrong or is worth knowing stands in the transcript, though it is no entry. Pure. */

import type { AgentEvent } from "@pith/agent";
import { noteOn } from "../../../printing/note-on.ts";
import { withWayOut } from "../../starting/way-out.ts";
import type { Note } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { withNote } from "./added.ts";

export function noted(state: ScreenState, event: AgentEvent): ScreenState {
  const note = noteIn(event);
  return note === null ? state : withNote(state, note);
}

type Words = Pick<Note, "tone" | "text">;

function noteIn(event: AgentEvent): Words | null {
  switch (event.type) {
    case "agent_end":
      return endNote(event.end);
    case "compaction_failed":
      return { tone: "bad", text: event.errorMessage };
    case "compaction_end":
      // Who asked for it is answered.
      return event.aborted && event.reason !== "manual"
        ? { tone: "plain", text: "the compaction was stopped; all is as it was" }
        : null;
    case "compaction_skipped":
    case "compaction_soft_threshold":
    case "secrets_redacted":
      return plainNote(event);
    default:
      return null;
  }
}

function endNote(end: Extract<AgentEvent, { type: "agent_end" }>["end"]): Words | null {
  if (end.type === "failed") return { tone: "bad", text: withWayOut(end) };
  if (end.type === "aborted") return { tone: "warning", text: "stopped" };
  return end.isCut ? { tone: "warning", text: "the answer was longer than the model may answer, and ends here" } : null;
}

function plainNote(event: AgentEvent): Words | null {
  const text = noteOn(event, []);
  return text === null ? null : { tone: "warning", text: text.replace(/^· /, "") };
}
