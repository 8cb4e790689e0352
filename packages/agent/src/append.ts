/** To the log, or not on: a turn whose words cannot be kept must not act on them. */

import { type Appended, type Drafted, refusalNotes, type Session } from "@pith/context";

/** What could not be written ends the run; its message says what to do. */
export class NotWritten extends Error {}

export async function appended(session: Session, ...drafts: readonly Drafted[]): Promise<void> {
  written(await session.append(...drafts));
}

/** What a model or a tool said: a power cut may cost the last second of it, nothing else does. */
export async function appendedSoon(session: Session, draft: Drafted): Promise<void> {
  written(await session.appendReplaceable(draft));
}

/** For what follows from where the log stands: looked at again until nobody comes in between. Null: there is nothing to write. */
export async function appendedHere<Said>(
  session: Session,
  said: () => Promise<{ readonly said: Said; readonly drafts: readonly Drafted[] } | null>,
): Promise<Said | null> {
  for (;;) {
    const { leaf } = session;
    const next = await said();
    if (!next) return null;
    const outcome = await session.appendBehind(leaf, next.drafts);
    if (outcome.type === "appended") return next.said;
    // Somebody of this program was first; another program's line stays there however often we look.
    if (outcome.type !== "leaf-moved" || session.leaf === leaf) written(outcome as Appended);
  }
}

/** What could not be written is thrown. */
export function written(outcome: Appended): void {
  if (outcome.type !== "appended") throw new NotWritten(noteOf(outcome));
}

function noteOf(outcome: Exclude<Appended, { type: "appended" }>): string {
  return outcome.type === "leaf-moved"
    ? "another program has written to this session; open it again"
    : refusalNotes[outcome.why];
}
