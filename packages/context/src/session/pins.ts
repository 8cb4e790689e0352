/** What the user wants kept word for word, as the entries of a branch say it. */

import { type ContextEditEntry, type Entry, PIN, UNPIN } from "../entry.ts";
import type { CustomMessage } from "../message.ts";

export interface Pin {
  /** Of the entry that pinned it; by this it is taken away. */
  readonly id: string;
  readonly text: string;
  /** The entry whose words these are; absent where they were said as a pin. */
  readonly entryId?: string;
}

/** The pins after this entry; the same list where it changes none. */
export function pinsAfter(pins: readonly Pin[], entry: Entry): readonly Pin[] {
  if (entry.type === "context_edit") return entry.pith?.reduced ? pins : edited(pins, entry);
  if (entry.type === "custom_message" && entry.customType === PIN)
    return [...pins, { id: entry.id, text: textIn(entry.content) }];
  if (entry.type !== "custom") return pins;
  const said = Object(entry.data) as Readonly<Record<string, unknown>>;
  if (entry.customType === UNPIN) return pins.filter(({ id }) => id !== said.pin);
  if (entry.customType !== PIN || typeof said.text !== "string" || typeof said.entryId !== "string") return pins;
  return [...pins, { id: entry.id, text: said.text, entryId: said.entryId }];
}

// Words that were said as a pin are pinned as they are changed, and not at all once they are removed.
function edited(pins: readonly Pin[], { targetId, replacement }: ContextEditEntry): readonly Pin[] {
  const isIt = ({ id, entryId }: Pin): boolean => id === targetId && entryId === undefined;
  if (!pins.some(isIt)) return pins;
  return pins.flatMap((pin) => {
    if (!isIt(pin)) return [pin];
    return replacement ? [{ ...pin, text: textIn(replacement.content as CustomMessage["content"]) }] : [];
  });
}

/** The pins in a compaction of ours; it comes from a file, so what is no pin is left out. */
export function pinsIn(value: unknown): readonly Pin[] {
  return Array.isArray(value) ? value.filter(isPin) : [];
}

function isPin(value: unknown): value is Pin {
  const { id, text, entryId } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof text === "string" && (entryId === undefined || typeof entryId === "string");
}

function textIn(content: CustomMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block?.type === "text" ? block.text : [])).join("\n");
}
