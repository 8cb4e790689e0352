/** Who speaks in an entry. Only what a person typed counts as the user's word: tool output, notes and summaries never do. */

import type { Entry } from "../entry.ts";

export type Provenance = "person" | "assistant" | "tool" | "program" | "summary" | "nobody";

/** Who speaks in an entry; only a person's words count as the user's. */
export function provenance(entry: Entry): Provenance {
  switch (entry.type) {
    case "message":
      return speaker(entry.message);
    case "custom_message":
      return "program";
    case "compaction":
    case "branch_summary":
      return "summary";
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
    case "gap":
      return "nobody";
  }
}

function speaker(message: Extract<Entry, { type: "message" }>["message"]): Provenance {
  switch (message.role) {
    case "user":
      return message.pith?.from === "program" ? "program" : "person";
    case "assistant":
      return "assistant";
    case "toolResult":
    case "bashExecution":
      return "tool";
    case "system":
    case "custom":
      return "program";
    case "compactionSummary":
    case "branchSummary":
      return "summary";
  }
}
