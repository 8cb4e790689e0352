/** What happens on the way to an answer, as lines for people. */

import type { AgentEvent, Tool } from "@pith/agent";
import { secondsTold } from "./amounts.ts";
import { clipped } from "./clipped.ts";
import { noteOnCompaction, noteOnProgress } from "./note-on-compaction.ts";

/** Null where it is nothing to tell. */
export function noteOn(event: AgentEvent, tools: readonly Tool[]): string | null {
  switch (event.type) {
    case "tool_execution_start":
      return `· ${event.toolName} ${confinement(event, tools)}${clipped(wordsOf(event.args))}`;
    case "tool_execution_end":
      return event.isError ? `  ${failureOf(event)}` : null;
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return `· ${clipped(event.errorMessage)}; asking again in ${secondsTold(event.delayMs)}`;
    case "branch_summary_progress":
      return noteOnProgress(event);
    case "compaction_start":
    case "compaction_progress":
    case "compaction_end":
    case "compaction_failed":
    case "compaction_skipped":
    case "compaction_undone":
    case "compaction_redone":
    case "compaction_soft_threshold":
    case "compaction_quality":
      return noteOnCompaction(event);
    case "secrets_redacted":
      return `· redacted: ${clipped(countedFamilies(event.secrets))}`;
    default:
      return null;
  }
}

function countedFamilies(secrets: Extract<AgentEvent, { type: "secrets_redacted" }>["secrets"]): string {
  const families = Map.groupBy(secrets, ({ family }) => family);
  return [...families].map(([family, all]) => (all.length === 1 ? family : `${family} (${all.length})`)).join(", ");
}

/** By its words, since calls run at once and end in any order. */
function failureOf({ toolName, args, result }: Extract<AgentEvent, { type: "tool_execution_end" }>): string {
  const call = `${toolName} ${clipped(wordsOf(args), SHORT)}`.trim();
  return `${call} failed: ${clipped(textOf(result.content), LONG)}`;
}

const SHORT = 40;
const LONG = 300;

type Started = Extract<AgentEvent, { type: "tool_execution_start" }>;

/** Whether a command runs in the sandbox stands before every one of them. */
function confinement({ toolName, args }: Started, tools: readonly Tool[]): string {
  const intent = tools.find(({ name }) => name === toolName)?.intent?.(args);
  if (intent?.type !== "command") return "";
  return intent.isConfined ? "[sandbox] " : "[no sandbox] ";
}

function wordsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join(" ");
}
