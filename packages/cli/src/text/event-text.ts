/** Formats agent events, compactions and usage totals as progress lines for stderr. */

import type { AgentEvent, CompactionEvent, Tool } from "@pith/agent";
import type { Usage } from "@pith/context";
import { addUsage, zeroUsage } from "@pith/context/host";
import { formatCost, formatCount, formatMinutes, formatSeconds, formatTokens, formatUsage } from "./format.ts";
import { truncate } from "./safe-text.ts";

type SummaryProgressEvent = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** Null where it is nothing to tell. */
export function formatCompactionEvent(event: CompactionEvent): string | null {
  switch (event.type) {
    case "compaction_start":
      return `· compacting: ${compactionReasons[event.reason]}`;
    case "compaction_progress":
      return formatSummaryProgress(event);
    case "compaction_end":
      return formatCompactionEnd(event);
    case "compaction_failed":
      return null;
    case "compaction_skipped":
      // Who asked for it is answered.
      return event.reason === "manual" ? null : `· not compacted: ${event.note}`;
    case "compaction_undone":
      return "· the compaction was undone; /redo takes that back";
    case "compaction_redone":
      return "· the compaction counts again";
    case "compaction_soft_threshold":
      return formatSoftThreshold(event);
    case "compaction_quality":
      return `  worth knowing: ${event.findings.map(({ note }) => truncate(note, MAX_NOTE_CHARS)).join("; ")}`;
  }
}

/** Of all that is done, what takes long or goes wrong. */
export function formatSummaryProgress(progress: SummaryProgressEvent): string | null {
  switch (progress.step) {
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `  ${progress.model} tells it in short${part} …`;
    }
    case "awaiting-first-token":
      return `  no answer yet after ${formatMinutes(progress.elapsedMs)}, waiting up to ${formatMinutes(progress.limitMs)} …`;
    case "writing":
      return progress.tokens % NOTE_INTERVAL_TOKENS < PROGRESS_STEP_TOKENS
        ? `  ${formatTokens(progress.tokens)} tokens so far …`
        : null;
    case "repairing":
      return `  the summary cannot be used yet (${formatCount(progress.flaws, "problem")}); the model is asked once more …`;
    case "falling-back":
      return `  ${truncate(progress.why)}`;
    default:
      return null;
  }
}

/** Of the tokens of a summary: so many from one line to the next, told in steps of so many. */
const NOTE_INTERVAL_TOKENS = 2_000;

const PROGRESS_STEP_TOKENS = 200;

const MAX_NOTE_CHARS = 300;

const compactionReasons = {
  manual: "as asked for",
  threshold: "the context is full",
  overflow: "the context was too long for the provider",
} as const;

/** What was not done says so itself, behind it. */
function formatCompactionEnd(event: Extract<AgentEvent, { type: "compaction_end" }>): string | null {
  const { compaction, errorMessage, usage, durationMs = 0 } = event;
  if (compaction.type === "nothing-to-do" || compaction.type === "postponed") return null;
  if (compaction.type !== "compacted") return `  ${truncate(errorMessage ?? compaction.type.replaceAll("-", " "))}`;
  const { tokens, by: summaryModel } = compaction.receipt;
  const cost = usage && usage.cost.total > 0 ? [formatCost(usage.cost.total)] : [];
  const duration = durationMs >= 1_000 ? [formatSeconds(durationMs)] : [];
  return `  ${[`${tokens.before} → ${tokens.after} tokens`, `summary by ${summaryModel ?? "code"}`, ...cost, ...duration].join(", ")}`;
}

function formatSoftThreshold({
  tokens,
  isEstimate,
  limit,
}: Extract<AgentEvent, { type: "compaction_soft_threshold" }>): string {
  const percent = Math.floor((tokens / limit) * 100);
  return `· the context is ${isEstimate ? "about " : ""}${percent} % full (${formatTokens(tokens)} of ${formatTokens(limit)} tokens)`;
}

/** Null where it is nothing to tell. */
export function formatProgressNote(event: AgentEvent, tools: readonly Tool[]): string | null {
  switch (event.type) {
    case "tool_execution_start":
      return `· ${event.toolName} ${formatSandboxTag(event, tools)}${truncate(formatArguments(event.args))}`;
    case "tool_execution_end":
      return event.isError ? `  ${formatToolFailure(event)}` : null;
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return `· ${truncate(event.errorMessage)}; asking again in ${formatSeconds(event.delayMs)}`;
    case "model_notice":
    case "session_damaged":
      return `· ${event.message}`;
    case "branch_summary_progress":
      return formatSummaryProgress(event);
    case "compaction_start":
    case "compaction_progress":
    case "compaction_end":
    case "compaction_failed":
    case "compaction_skipped":
    case "compaction_undone":
    case "compaction_redone":
    case "compaction_soft_threshold":
    case "compaction_quality":
      return formatCompactionEvent(event);
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
  return `${call} failed: ${truncate(joinText(result.content), MAX_NOTE_CHARS)}`;
}

const MAX_CALL_CHARS = 40;

type ToolStartEvent = Extract<AgentEvent, { type: "tool_execution_start" }>;

/** Whether a command runs in the sandbox stands before every one of them. */
function formatSandboxTag({ toolName, args }: ToolStartEvent, tools: readonly Tool[]): string {
  const intent = tools.find(({ name }) => name === toolName)?.intent?.(args);
  if (intent?.type !== "command") return "";
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

/** EVT5: each call to a model is told once. */
export function addEventUsage(totals: UsageTotals, event: AgentEvent): UsageTotals {
  switch (event.type) {
    case "message_end":
      return event.message.role === "assistant" ? addRequests(totals, 1, event.message.usage) : totals;
    case "compaction_end":
      return event.calls > 0 ? addRequests(totals, event.calls, event.usage ?? zeroUsage) : totals;
    case "usage":
      return addRequests(totals, 1, event.usage);
    default:
      return totals;
  }
}

function addRequests({ requests, usage }: UsageTotals, count: number, requestUsage: Usage): UsageTotals {
  return { requests: requests + count, usage: addUsage(usage, requestUsage) };
}

/** One line for people. */
export function formatTotals({ requests, usage }: UsageTotals): string {
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${formatUsage(usage)}`;
}
