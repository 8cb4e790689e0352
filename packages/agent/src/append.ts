/** To the log, or not on: a turn whose words cannot be kept must not act on them. */

import { type Appended, type Drafted, refusalNotes, type Session } from "@pith/context";

/** What could not be written ends the run; its message says what to do. */
export class NotWritten extends Error {}

export async function appended(session: Session, ...drafts: readonly Drafted[]): Promise<void> {
  const outcome = await session.append(...drafts);
  if (outcome.type !== "appended") throw new NotWritten(noteOf(outcome));
}

function noteOf(outcome: Exclude<Appended, { type: "appended" }>): string {
  return outcome.type === "leaf-moved"
    ? "another program has written to this session; open it again"
    : refusalNotes[outcome.why];
}
