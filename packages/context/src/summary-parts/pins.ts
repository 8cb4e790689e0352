/** Pins and unpins texts by appending entries, so that a move back reverts them, and puts all pins first in the summary message. */

import type { SummaryPart } from "../compaction/summary-message.ts";
import { entryText } from "../context/entry-text.ts";
import { entryReference, PIN_TYPE, UNPIN_TYPE } from "../entry.ts";
import type { Session } from "../session/session.ts";
import type { Pin } from "../session/state.ts";
import type { AppendResult } from "../session/store.ts";

/** Pins a text; the model sees it at once, and at the start of every summary message. */
export function pinText(session: Session, text: string): Promise<AppendResult> {
  return session.append({ type: "custom_message", customType: PIN_TYPE, content: text, display: true });
}

/** Pins the text of any entry in the session. */
export async function pinEntry(session: Session, entryId: string): Promise<AppendResult> {
  const entry = await session.store.entry(entryId);
  if (!entry) throw new Error(`cannot pin ${entryId}: it is not in this session`);
  const text = entryText(entry, session.branch.edits);
  if (text.trim() === "") throw new Error(`cannot pin ${entryId}: it has no text`);
  return session.append({
    type: "custom",
    customType: PIN_TYPE,
    data: { entryId, reference: entryReference(entry), text },
  });
}

/** Removes a pin, by the id of the entry that set it. */
export async function unpin(session: Session, pin: string): Promise<AppendResult> {
  if (!session.branch.state.pins.some(({ id }) => id === pin)) throw new Error(`${pin} is not a pin on this branch`);
  return session.append({ type: "custom", customType: UNPIN_TYPE, data: { pin } });
}

/** The summary part with the pinned texts, word for word and without a limit; the breaker reports pins that fill the window. */
export const pins: SummaryPart<readonly Pin[]> = {
  kind: "pins",
  share: null,
  collect: ({ branch }) => branch.state.pins,
  render: (kept) => (kept.length === 0 ? [] : [{ text: `${PINS_TITLE}${kept.map(renderPin).join("")}` }]),
};

function renderPin({ id, text, entryId, reference }: Pin): string {
  return `[${reference ?? `entry:${entryId ?? id}`}]\n${text}\n\n`;
}

const PINS_TITLE = "# Pinned by the user (always applies)\n\n";
