/** Pins and unpins texts as entries, so that moving back reverts them, and renders all pins for the front of the context. */

import { entryWords } from "../context/entry-text.ts";
import { PIN, UNPIN } from "../entry.ts";
import { entryReference } from "../references.ts";
import type { Session } from "../session/session.ts";
import type { Pin } from "../session/state.ts";
import type { Appended } from "../session/store.ts";

/** Words of their own; the model reads them at once, and at the front after every compaction. */
export function pinWords(session: Session, text: string): Promise<Appended> {
  return session.append({ type: "custom_message", customType: PIN, content: text, display: true });
}

/** The words of an entry, wherever in the session it stands. */
export async function pinEntry(session: Session, entryId: string): Promise<Appended> {
  const entry = await session.store.entry(entryId);
  if (!entry) throw new Error(`cannot pin ${entryId}: it is not in this session`);
  const text = entryWords(entry, session.window.edits);
  if (text.trim() === "") throw new Error(`cannot pin ${entryId}: it has no words`);
  return session.append({ type: "custom", customType: PIN, data: { entryId, reference: entryReference(entry), text } });
}

/** Takes away the pin that this entry has set. */
export async function unpin(session: Session, pin: string): Promise<Appended> {
  if (!session.window.state.pins.some(({ id }) => id === pin)) throw new Error(`${pin} is no pin on this branch`);
  return session.append({ type: "custom", customType: UNPIN, data: { pin } });
}

/** Empty where there is none. */
export function pinsText(pins: readonly Pin[]): string {
  if (pins.length === 0) return "";
  return `${LEAD}${pins.map(pinText).join("")}`;
}

function pinText({ id, text, entryId, reference }: Pin): string {
  return `[${reference ?? `entry:${entryId ?? id}`}]\n${text}\n\n`;
}

const LEAD = "# Pinned by the user: always holds\n\n";
