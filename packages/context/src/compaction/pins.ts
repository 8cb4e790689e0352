/** Pins and unpins texts as entries, so that moving back reverts them, and renders all pins for the front of the context. */

import { entryText } from "../context/entry-text.ts";
import { PIN_TYPE, UNPIN_TYPE } from "../entry.ts";
import { entryReference } from "../references.ts";
import type { Session } from "../session/session.ts";
import type { Pin } from "../session/state.ts";
import type { AppendResult } from "../session/store.ts";

/** Words of their own; the model reads them at once, and at the front after every compaction. */
export function pinText(session: Session, text: string): Promise<AppendResult> {
  return session.append({ type: "custom_message", customType: PIN_TYPE, content: text, display: true });
}

/** The words of an entry, wherever in the session it stands. */
export async function pinEntry(session: Session, entryId: string): Promise<AppendResult> {
  const entry = await session.store.entry(entryId);
  if (!entry) throw new Error(`cannot pin ${entryId}: it is not in this session`);
  const text = entryText(entry, session.branch.edits);
  if (text.trim() === "") throw new Error(`cannot pin ${entryId}: it has no words`);
  return session.append({
    type: "custom",
    customType: PIN_TYPE,
    data: { entryId, reference: entryReference(entry), text },
  });
}

/** Takes away the pin that this entry has set. */
export async function unpin(session: Session, pin: string): Promise<AppendResult> {
  if (!session.branch.state.pins.some(({ id }) => id === pin)) throw new Error(`${pin} is no pin on this branch`);
  return session.append({ type: "custom", customType: UNPIN_TYPE, data: { pin } });
}

/** Empty where there is none. */
export function renderPins(pins: readonly Pin[]): string {
  if (pins.length === 0) return "";
  return `${PINS_TITLE}${pins.map(renderPin).join("")}`;
}

function renderPin({ id, text, entryId, reference }: Pin): string {
  return `[${reference ?? `entry:${entryId ?? id}`}]\n${text}\n\n`;
}

const PINS_TITLE = "# Pinned by the user: always holds\n\n";
