/** What a sub-agent is doing, in one line for people, from the events of its own session. */

import { addedUsage, noUsage, type Usage } from "@pith/context";
import { clipped } from "../../printing/clipped.ts";
import { usageTold } from "../../printing/tally.ts";
import type { RpcEvent } from "../../rpc/client/index.ts";

export interface Progress {
  readonly doing: string;
  readonly usage: Usage;
}

export const waiting: Progress = { doing: "waits", usage: noUsage };

/** The same where it says nothing new. */
export function progressAfter(progress: Progress, event: RpcEvent): Progress {
  switch (event.type) {
    case "agent_start":
      return { ...progress, doing: "works" };
    case "tool_execution_start":
      return { ...progress, doing: clipped(`${event.toolName} ${firstWord(event.args)}`.trim(), 60) };
    case "message_end":
      // Whatever else writes there may look like a line of ours.
      if (event.message?.role !== "assistant") return progress;
      return { ...progress, usage: addedUsage(progress.usage, event.message.usage) };
    default:
      return progress;
  }
}

/** Of what it is called with, the text that says most: a path, a command. */
function firstWord(asked: unknown): string {
  const value = Object.values(Object(asked) as object).find((each) => typeof each === "string");
  return value ?? "";
}

export function progressLine(who: string, { doing, usage }: Progress): string {
  return usage.totalTokens === 0 ? `${who}: ${doing}` : `${who}: ${doing} · ${usageTold(usage)}`;
}
