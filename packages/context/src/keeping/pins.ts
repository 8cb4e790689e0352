/** The pins as they stand at the very front of a context: word for word, in the order they were set. */

import type { Pin } from "../session/pins.ts";

/** Empty where there is none. */
export function pinsText(pins: readonly Pin[]): string {
  if (pins.length === 0) return "";
  return `${LEAD}${pins.map(pinText).join("")}\n`;
}

function pinText({ id, text, entryId }: Pin): string {
  return `\n[entry:${entryId ?? id}]\n${text}\n`;
}

const LEAD = "Pinned by the user, to be kept to at all times, word for word:\n";
