/** Formats agent events and usage totals as lines of a plain log, such as the progress of `pith -p` on stderr. */

import { type AgentEvent, readCallOutcome, type Tool } from "@pith/agent";
import type { Usage } from "@pith/context";
import { sumUsage, zeroUsage } from "@pith/context/host";
import { formatSeconds, formatUsage } from "@pith/host/text/format";
import { truncate } from "@pith/host/text/safe-text";
import { formatCompactionEvent, formatProgressLine, formatRereadFiles } from "./compaction-text.ts";
import { OUTSIDE_SANDBOX } from "./tool-call-text.ts";

const MAX_NOTE_CHARS = 300;

/** Null for an event that needs no line. */
export function formatProgressNote(event: AgentEvent, tools: readonly Tool[]): string | null {
  switch (event.type) {
    case "tool_execution_start":
      return `· ${event.toolName} ${formatSandboxTag(event, tools)}${truncate(formatArguments(event.args))}`;
    case "tool_execution_end":
      return event.isError ? `  ${formatToolFailure(event)}` : null;
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return `· ${truncate(event.errorMessage)}; retrying in ${formatSeconds(event.delayMs)}`;
    case "model_notice":
    case "session_damaged":
      return `· ${event.message}`;
    case "branch_summary_progress":
      return formatProgressLine(event);
    case "compaction_start":
    case "compaction_progress":
    case "compaction_end":
    case "compaction_failed":
    case "compaction_skipped":
    case "compaction_undone":
    case "compaction_redone":
    case "compaction_preparation":
    case "outdated_results_removed":
    case "outdated_results_restored":
    case "compaction_soft_threshold":
    case "compaction_quality":
      return formatCompactionEvent(event);
    case "entry_appended": {
      const rereadFiles = formatRereadFiles(event.entry);
      return rereadFiles === null ? null : `· ${truncate(rereadFiles)}`;
    }
    case "secrets_redacted":
      return `· redacted: ${truncate(formatSecretFamilies(event.secrets))}`;
    default:
      return null;
  }
}

function formatSecretFamilies(secrets: Extract<AgentEvent, { type: "secrets_redacted" }>["secrets"]): string {
  const families = Map.groupBy(secrets, ({ family }) => family);
  return [...families]
    .map(([family, matches]) => (matches.length === 1 ? family : `${family} (${matches.length})`))
    .join(", ");
}

/** By its words, since calls run at once and end in any order. */
function formatToolFailure({ toolName, args, result }: Extract<AgentEvent, { type: "tool_execution_end" }>): string {
  const call = `${toolName} ${truncate(formatArguments(args), MAX_CALL_CHARS)}`.trim();
  const outcome = readCallOutcome(result);
  if (outcome === "stopped") return `${call} stopped: ${truncateStart(joinText(result.content))}`;
  const text = joinText(result.content);
  const reason = outcome === "denied" ? withoutDenial(text) : text;
  return `${call} ${outcome}: ${truncate(reason, MAX_NOTE_CHARS)}`;
}

/** The line already says that the call was denied. */
export function withoutDenial(text: string): string {
  return text.replace(/^not permitted: /, "");
}

/** The end of the output shows how far a stopped call came. */
function truncateStart(text: string): string {
  const tail = text.trim().slice(-MAX_NOTE_CHARS);
  return truncate(tail.length < text.trim().length ? `…${tail}` : tail, MAX_NOTE_CHARS + 1);
}

const MAX_CALL_CHARS = 40;

type ToolStartEvent = Extract<AgentEvent, { type: "tool_execution_start" }>;

/** Whether a command runs in the sandbox stands before every one of them. */
function formatSandboxTag({ toolName, args }: ToolStartEvent, tools: readonly Tool[]): string {
  const intent = tools.find(({ name }) => name === toolName)?.intent?.(args);
  if (intent?.type !== "command") return "";
  if (intent.isOutside) return `[${OUTSIDE_SANDBOX}] `;
  return intent.isConfined ? "[sandbox] " : "[no sandbox] ";
}

/** Texts as they are; of anything else also the name, because a number alone says nothing. */
function formatArguments(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => (typeof value === "string" ? value : `${name}=${JSON.stringify(value)}`))
    .join(" ");
}

function joinText(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join(" ");
}

export interface UsageTotals {
  readonly requests: number;
  readonly usage: Usage;
}

export const emptyTotals: UsageTotals = { requests: 0, usage: zeroUsage };

/** EVT5: each call to a model is counted once. */
export function addEventUsage(totals: UsageTotals, event: AgentEvent): UsageTotals {
  switch (event.type) {
    case "message_end":
      return event.message.role === "assistant" ? addRequests(totals, 1, event.message.usage) : totals;
    case "compaction_end":
      return event.calls > 0 ? addRequests(totals, event.calls, event.usage ?? zeroUsage) : totals;
    case "compaction_preparation":
      return event.usage ? addRequests(totals, event.calls ?? 1, event.usage) : totals;
    case "usage":
      return addRequests(totals, 1, event.usage);
    default:
      return totals;
  }
}

function addRequests({ requests, usage }: UsageTotals, count: number, requestUsage: Usage): UsageTotals {
  return { requests: requests + count, usage: sumUsage([usage, requestUsage]) };
}

/** One line for people. */
export function formatTotals({ requests, usage }: UsageTotals): string {
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${formatUsage(usage)}`;
}
