/** The few shapes that commands answer with, and sentences that several of them need. */

import { type Appended, refusalNotes } from "@pith/context";
import { type Mistake, mistake } from "../asking/mistake.ts";
import type { Answer } from "./command.ts";

export function told(text: string, data: unknown): Answer {
  return { type: "told", text, data };
}

export function failed(message: string): Answer {
  return { type: "failed", message };
}

/** What was to be written, and what is said once it is. */
export function written(appended: Appended, answer: () => Answer): Answer {
  if (appended.type === "appended") return answer();
  return failed(appended.type === "refused" ? refusalNotes[appended.why] : LEAF_MOVED);
}

export const LEAF_MOVED = "somebody else has written to this session meanwhile; open it again and try once more";

/** For what needs the session's file where there is none. */
export function nothingKept(command: string): Mistake {
  return mistake(`/${command} needs a session that is kept; start pith without --no-session`);
}
