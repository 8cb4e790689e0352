/** What happens on the way to an answer, as lines for people. */

import type { AgentEvent, Tool } from "@pith/agent";

/** Null where it is nothing to tell. */
export function noteOn(event: AgentEvent, tools: readonly Tool[]): string | null {
  switch (event.type) {
    case "tool_execution_start":
      return `· ${event.toolName} ${confinement(event, tools)}${clipped(wordsOf(event.args))}`;
    case "tool_execution_end":
      return event.isError ? `  ${failureOf(event)}` : null;
    case "auto_retry_start":
      return `· ${clipped(event.errorMessage)}; asking again in ${Math.ceil(event.delayMs / 1_000)} s`;
    case "compaction_start":
      return `· compacting: ${reasons[event.reason]}`;
    case "compaction_end":
      return `  ${outcomeOf(event)}`;
    default:
      return null;
  }
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

const reasons = {
  manual: "as asked for",
  threshold: "the context is full",
  overflow: "the context was too long for the provider",
} as const;

function outcomeOf({ compaction, errorMessage }: Extract<AgentEvent, { type: "compaction_end" }>): string {
  if (compaction.type !== "compacted") return clipped(errorMessage ?? compaction.type.replaceAll("-", " "));
  const { tokens, by } = compaction.receipt;
  return `${tokens.before} → ${tokens.after} tokens, told by ${by ?? "code"}`;
}

function wordsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join(" ");
}

/** One short line of it. */
function clipped(text: string, width: number = WIDTH): string {
  const line = text
    .slice(0, 4 * width)
    .replace(/\s+/g, " ")
    .trim();
  // By characters: half of one would be shown as an escape.
  const signs = Array.from(line);
  return signs.length > width ? `${signs.slice(0, width - 1).join("")}…` : line;
}

const WIDTH = 160;
