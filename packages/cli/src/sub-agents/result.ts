/** Formats the progress and the results of sub-agents for the user and the model. */

import type { RpcEvent } from "@pith/client";
import type { Usage } from "@pith/context";
import { sumUsage, zeroUsage } from "@pith/context/host";
import { formatUsage } from "@pith/host/text/format";
import { truncate } from "@pith/host/text/safe-text";
import { type ResultDetails, SUB_AGENT } from "./log.ts";

export interface Excerpt {
  readonly excerpt: string;
  readonly isWhole: boolean;
}

/** Returns the beginning and the end of a text that is longer than `maxBytes`. */
export function createExcerpt(text: string, maxBytes: number): Excerpt {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { excerpt: text, isWhole: true };
  const head = Math.floor(maxBytes / 2);
  const [first, last] = [bytes.subarray(0, head), bytes.subarray(bytes.length - (maxBytes - head))];
  const omittedBytes = (bytes.length - maxBytes).toLocaleString("en-US");
  // The cut may split a character; its remains are removed.
  const excerpt = `${first.toString().replace(/\ufffd+$/, "")}\n[… ${omittedBytes} bytes omitted …]\n${last.toString().replace(/^\ufffd+/, "")}`;
  return { excerpt, isWhole: false };
}

export interface Progress {
  readonly activity: string;
  readonly usage: Usage;
}

export const initialProgress: Progress = { activity: "queued", usage: zeroUsage };

/** Returns the same object if the event changes nothing. */
export function updateProgress(progress: Progress, event: RpcEvent): Progress {
  switch (event.type) {
    case "agent_start":
      return { ...progress, activity: "working" };
    case "tool_execution_start":
      return { ...progress, activity: truncate(`${event.toolName} ${firstTextArgument(event.args)}`.trim(), 60) };
    case "message_end":
      // Another program may write lines that look like our events, so the message can be missing.
      if (event.message?.role !== "assistant") return progress;
      return { ...progress, usage: sumUsage([progress.usage, event.message.usage]) };
    default:
      return progress;
  }
}

/** Usually the most informative argument, such as a path or a command. */
function firstTextArgument(args: unknown): string {
  const value = Object.values(Object(args) as object).find((candidate) => typeof candidate === "string");
  return value ?? "";
}

export function formatProgress(agentName: string, { activity, usage }: Progress): string {
  return usage.totalTokens === 0 ? `${agentName}: ${activity}` : `${agentName}: ${activity} · ${formatUsage(usage)}`;
}

export interface SubAgentResult {
  readonly id: string;
  readonly agent: string;
  readonly status: "done" | "broken" | "unbegun" | "stopped";
  readonly text: string;
  /** The end of a sentence that begins with the sub-agent. */
  readonly why?: string;
}

/** For the user and the model. */
export const statusTexts: Readonly<Record<SubAgentResult["status"], string>> = {
  done: "finished",
  broken: "failed",
  unbegun: "not started",
  stopped: "stopped",
};

/** Shortens the text of the sub-agent to `maxBytes`. */
export function formatResult({ id, agent, status, text, why }: SubAgentResult, maxBytes: number): string {
  const statusText = statusTexts[status];
  const head = `[${agent} ${id} ${why === undefined || status === "done" ? statusText : `${statusText}: ${why}`}]`;
  if (status === "unbegun") return `${head}\nStart it again if it is still needed.`;
  const resumeHint =
    status === "done"
      ? []
      : [`Transcript: {"read": "${id}"}. The user can continue it with: pith --session ${id} --agent ${agent}`];
  const { excerpt, isWhole } = createExcerpt(text, maxBytes);
  const readHint = isWhole ? [] : [`Full text: {"read": "${id}"}`];
  return [head, ...(excerpt === "" ? [] : [excerpt]), ...readHint, ...resumeHint].join("\n");
}

export interface ResultMessage {
  readonly customType: string;
  readonly content: string;
  readonly display: boolean;
  readonly details: ResultDetails;
}

/** The details record in the session that these results were reported. */
export function createResultMessage(results: readonly SubAgentResult[]): ResultMessage {
  return {
    customType: SUB_AGENT,
    content: results.map((result) => formatResult(result, MAX_RESULT_BYTES)).join("\n\n"),
    display: true,
    details: createResultDetails(results),
  };
}

export function createResultDetails(results: readonly SubAgentResult[]): ResultDetails {
  return { subAgents: results.map(({ id, agent, status }) => ({ id, agent, status })) };
}

/** The size limit of the text of one sub-agent. */
export const MAX_RESULT_BYTES: number = 8 * 1024;
