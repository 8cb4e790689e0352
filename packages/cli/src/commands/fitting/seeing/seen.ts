/** `/seen`: what the model sees now, word for word. */

import { told } from "../../answers.ts";
import type { Command } from "../../command.ts";
import type { SeenPart, SeenPlace } from "./seen-parts.ts";

export const seen: Command = {
  name: "seen",
  says: "what the model sees now, word for word: what compactions have put first, what they kept, what is new",
  async run(_, { agent: { session, budget } }) {
    await session.settle();
    const { seenParts } = await import("./seen-parts.ts");
    const parts = seenParts(session.window, budget.to);
    return told(textOf(parts), parts);
  },
};

export const seenPlaces: Readonly<Record<SeenPlace, string>> = {
  system: "System",
  pins: "Front: pins",
  words: "Front: your words",
  checkpoint: "Front: checkpoint",
  kept: "Kept as it was said",
  new: "New since the compaction",
  said: "As it was said",
};

function textOf(parts: readonly SeenPart[]): string {
  if (parts.length === 0) return "The model sees nothing yet.";
  return parts
    .map(({ place, who, text }, at) => {
      const heading = parts[at - 1]?.place === place ? "" : `── ${seenPlaces[place]} ──\n`;
      return `${heading}${who}: ${text.trim()}`;
    })
    .join("\n\n");
}
