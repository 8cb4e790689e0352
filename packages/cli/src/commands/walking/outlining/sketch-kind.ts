/** What an entry is to people, told without looking at its words. */

import { DRAFT } from "@pith/agent";
import { type Entry, PIN } from "@pith/context";

/** `calls` is a reply without words; `other` is noted, and nothing to people by itself. */
export type SketchKind =
  | "you"
  | "program"
  | "reply"
  | "calls"
  | "tool"
  | "shell"
  | "compaction"
  | "left"
  | "pin"
  | "draft"
  | "note"
  | "lost"
  | "other";

/** Whether it is something to people. */
export function isSeen(entry: Entry): boolean {
  if (entry.type !== "message") return kindOf(entry) !== "other";
  return ROLES_SEEN.includes(entry.message.role);
}

const ROLES_SEEN: readonly string[] = ["user", "assistant", "toolResult", "bashExecution"];

/** Of all but messages. */
export function kindOf(entry: Exclude<Entry, { type: "message" }>): SketchKind {
  switch (entry.type) {
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "left";
    case "custom_message":
      if (entry.customType === PIN) return "pin";
      return entry.display ? "note" : "other";
    case "custom":
      if (entry.customType === DRAFT) return "draft";
      return entry.customType === PIN ? "pin" : "other";
    case "gap":
      return "lost";
    default:
      return "other";
  }
}
