/** What a run has cost so far: requests, tokens, dollars. */

import type { AgentEvent } from "@pith/agent";
import { addedUsage, noUsage, type Usage } from "@pith/context";
import { costTold, tokensTold } from "./amounts.ts";

export interface Tally {
  readonly requests: number;
  readonly usage: Usage;
}

export const nothingYet: Tally = { requests: 0, usage: noUsage };

/** EVT5: each call to a model is told once. */
export function counted(tally: Tally, event: AgentEvent): Tally {
  switch (event.type) {
    case "message_end":
      return event.message.role === "assistant" ? added(tally, 1, event.message.usage) : tally;
    case "compaction_end":
      return event.calls > 0 ? added(tally, event.calls, event.usage ?? noUsage) : tally;
    case "usage":
      return added(tally, 1, event.usage);
    default:
      return tally;
  }
}

function added({ requests, usage }: Tally, more: number, other: Usage): Tally {
  return { requests: requests + more, usage: addedUsage(usage, other) };
}

/** One line for people. */
export function told({ requests, usage }: Tally): string {
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${usageTold(usage)}`;
}

/** Those from the cache count as read; a price only where somebody knows it. */
export function usageTold({ input, cacheRead, cacheWrite, output, cost }: Usage): string {
  const read = tokensTold(input + cacheRead + cacheWrite);
  const parts = [
    `${read} tokens in${cacheRead > 0 ? ` (${tokensTold(cacheRead)} from the cache)` : ""}`,
    `${tokensTold(output)} out`,
  ];
  return [...parts, ...(cost.total > 0 ? [costTold(cost.total)] : [])].join(", ");
}
