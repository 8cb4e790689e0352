/** Implements `/context` (what fills the context window), `/seen` (what the model sees now, verbatim) and `/rules` (what the user has said). */

import type { ContextPlace, ModelViewPart } from "../context-report/model-view.ts";
import { type Command, success } from "./command.ts";

export const contextCommand: Command = {
  name: "context",
  description: "show what fills the context window, the compaction threshold, and what a compaction would free",
  async run(_, { agent: { session, budget } }) {
    await session.loadState();
    const { buildContextReport, formatContextReport } = await import("../context-report/report.ts");
    const report = buildContextReport(session.branch, budget);
    return success(formatContextReport(report), report);
  },
};

export const seenCommand: Command = {
  name: "seen",
  description: "show exactly what the model sees now: summary, kept messages, and newer messages",
  async run(_, { agent: { session, budget } }) {
    await session.loadState();
    const { buildModelView } = await import("../context-report/model-view.ts");
    const parts = buildModelView(session.branch, budget.model);
    return success(formatModelView(parts), parts);
  },
};

export const rulesCommand: Command = {
  name: "rules",
  description:
    "list what you have said that still holds (pins, lines of the summary, your messages), and what the model is no longer shown",
  async run(_, { agent: { session } }) {
    const { formatRules, readRules, toRulesData } = await import("../context-report/user-rules.ts");
    const rules = await readRules(session);
    return success(formatRules(rules), toRulesData(rules));
  },
};

export const contextPlaceTitles: Readonly<Record<ContextPlace, string>> = {
  system: "System",
  pins: "Summary: pins",
  "user-messages": "Summary: your messages",
  summary: "Summary: work so far",
  kept: "Messages kept by the compaction",
  recent: "Messages since the compaction",
  conversation: "Messages",
};

function formatModelView(parts: readonly ModelViewPart[]): string {
  if (parts.length === 0) return "The model sees nothing yet.";
  return parts
    .map(({ place, who, text }, index) => {
      const heading = parts[index - 1]?.place === place ? "" : `── ${contextPlaceTitles[place]} ──\n`;
      return `${heading}${who}: ${text.trim()}`;
    })
    .join("\n\n");
}
