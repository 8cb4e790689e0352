/** Formats agent events, compactions and usage totals as progress lines for stderr. */

import type { AgentEvent, CompactionEvent, Tool } from "@pith/agent";
import type { Usage } from "@pith/context";
import { addUsage, zeroUsage } from "@pith/context/host";
import { costTold, counted, minutesTold, secondsTold, tokensTold, usageTold } from "./format.ts";
import { clipped } from "./safe-text.ts";

type Progressing = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** Null where it is nothing to tell. */
export function noteOnCompaction(event: CompactionEvent): string | null {
  switch (event.type) {
    case "compaction_start":
      return `· compacting: ${reasons[event.reason]}`;
    case "compaction_progress":
      return noteOnProgress(event);
    case "compaction_end":
      return outcomeOf(event);
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
      return softNote(event);
    case "compaction_quality":
      return `  worth knowing: ${event.findings.map(({ note }) => clipped(note, MAX_NOTE_CHARS)).join("; ")}`;
  }
}

/** Of all that is done, what takes long or goes wrong. */
export function noteOnProgress(progress: Progressing): string | null {
  switch (progress.step) {
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `  ${progress.model} tells it in short${part} …`;
    }
    case "awaiting-first-token":
      return `  no answer yet after ${minutesTold(progress.elapsedMs)}, waiting up to ${minutesTold(progress.limitMs)} …`;
    case "writing":
      return progress.tokens % EVERY < STEP ? `  ${tokensTold(progress.tokens)} tokens so far …` : null;
    case "repairing":
      return `  the summary cannot be used yet (${counted(progress.flaws, "problem")}); the model is asked once more …`;
    case "falling-back":
      return `  ${clipped(progress.why)}`;
    default:
      return null;
  }
}

/** Of the tokens of a summary: so many from one line to the next, told in steps of so many. */
const EVERY = 2_000;

const STEP = 200;

const MAX_NOTE_CHARS = 300;

const reasons = {
  manual: "as asked for",
  threshold: "the context is full",
  overflow: "the context was too long for the provider",
} as const;

/** What was not done says so itself, behind it. */
function outcomeOf(event: Extract<AgentEvent, { type: "compaction_end" }>): string | null {
  const { compaction, errorMessage, usage, durationMs = 0 } = event;
  if (compaction.type === "nothing-to-do" || compaction.type === "postponed") return null;
  if (compaction.type !== "compacted") return `  ${clipped(errorMessage ?? compaction.type.replaceAll("-", " "))}`;
  const { tokens, by } = compaction.receipt;
  const cost = usage && usage.cost.total > 0 ? [costTold(usage.cost.total)] : [];
  const time = durationMs >= 1_000 ? [secondsTold(durationMs)] : [];
  return `  ${[`${tokens.before} → ${tokens.after} tokens`, `summary by ${by ?? "code"}`, ...cost, ...time].join(", ")}`;
}

function softNote({ tokens, isEstimate, limit }: Extract<AgentEvent, { type: "compaction_soft_threshold" }>): string {
  const full = Math.floor((tokens / limit) * 100);
  return `· the context is ${isEstimate ? "about " : ""}${full} % full (${tokensTold(tokens)} of ${tokensTold(limit)} tokens)`;
}

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
    case "model_notice":
    case "session_damaged":
      return `· ${event.message}`;
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
  return `${call} failed: ${clipped(textOf(result.content), MAX_NOTE_CHARS)}`;
}

const SHORT = 40;

type Started = Extract<AgentEvent, { type: "tool_execution_start" }>;

/** Whether a command runs in the sandbox stands before every one of them. */
function confinement({ toolName, args }: Started, tools: readonly Tool[]): string {
  const intent = tools.find(({ name }) => name === toolName)?.intent?.(args);
  if (intent?.type !== "command") return "";
  return intent.isConfined ? "[sandbox] " : "[no sandbox] ";
}

/** Texts as they are; of anything else also the name, because a number alone says nothing. */
function wordsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => (typeof value === "string" ? value : `${name}=${JSON.stringify(value)}`))
    .join(" ");
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join(" ");
}

export interface Tally {
  readonly requests: number;
  readonly usage: Usage;
}

export const nothingYet: Tally = { requests: 0, usage: zeroUsage };

/** EVT5: each call to a model is told once. */
export function countEvent(tally: Tally, event: AgentEvent): Tally {
  switch (event.type) {
    case "message_end":
      return event.message.role === "assistant" ? added(tally, 1, event.message.usage) : tally;
    case "compaction_end":
      return event.calls > 0 ? added(tally, event.calls, event.usage ?? zeroUsage) : tally;
    case "usage":
      return added(tally, 1, event.usage);
    default:
      return tally;
  }
}

function added({ requests, usage }: Tally, more: number, other: Usage): Tally {
  return { requests: requests + more, usage: addUsage(usage, other) };
}

/** One line for people. */
export function told({ requests, usage }: Tally): string {
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${usageTold(usage)}`;
}
