/** Pins and unpins texts as entries, so that moving back reverts them, and starts the summary message with all pins. */

import type { SummaryPart } from "../compaction/summary-part.ts";
import { entryText } from "../context/entry-text.ts";
import { PIN_TYPE, UNPIN_TYPE } from "../entry.ts";
import { entryReference } from "../references.ts";
import type { Session } from "../session/session.ts";
import type { Pin } from "../session/state.ts";
import type { AppendResult } from "../session/store.ts";

/** Pins a text. The model reads it at once, and first after every compaction. */
export function pinText(session: Session, text: string): Promise<AppendResult> {
  return session.append({ type: "custom_message", customType: PIN_TYPE, content: text, display: true });
}

/** Pins the text of an entry from anywhere in the session. */
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

/** The pinned texts, word for word. They have no limit: the breaker reports pins that fill the window. */
export const pins: SummaryPart<readonly Pin[]> = {
  kind: "pins",
  share: null,
  collect: ({ branch }) => branch.state.pins,
  render: (kept) => (kept.length === 0 ? [] : [{ text: renderPins(kept) }]),
};

function renderPins(pins: readonly Pin[]): string {
  return `${PINS_TITLE}${pins.map(renderPin).join("")}`;
}

function renderPin({ id, text, entryId, reference }: Pin): string {
  return `[${reference ?? `entry:${entryId ?? id}`}]\n${text}\n\n`;
}

const PINS_TITLE = "# Pinned by the user: always holds\n\n";
