/** Implements `/context` (what fills the context window) and `/seen` (what the model sees now, verbatim). */

import type { SeenPart, SeenPlace } from "../context-report/model-view.ts";
import { type Command, told } from "./command.ts";

export const context: Command = {
  name: "context",
  says: "what fills the window, when it is too much, and what a compaction would free",
  async run(_, { agent: { session, budget } }) {
    await session.loadState();
    const { contextReport, contextText } = await import("../context-report/report.ts");
    const report = contextReport(session.branch, budget);
    return told(contextText(report), report);
  },
};

export const seen: Command = {
  name: "seen",
  says: "what the model sees now, word for word: what compactions have put first, what they kept, what is new",
  async run(_, { agent: { session, budget } }) {
    await session.loadState();
    const { seenParts } = await import("../context-report/model-view.ts");
    const parts = seenParts(session.branch, budget.model);
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
