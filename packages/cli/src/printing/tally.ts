/** What a run has cost so far: requests, tokens, dollars. */

import type { AgentEvent } from "@pith/agent";

export interface Tally {
  readonly requests: number;
  /** Tokens, those from the cache included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Dollars; 0 where nobody knows the prices. */
  readonly cost: number;
}

export const nothingYet: Tally = { requests: 0, input: 0, cached: 0, output: 0, cost: 0 };

export function counted(tally: Tally, event: AgentEvent): Tally {
  if (event.type === "compaction_end" && event.compaction.type === "compacted") {
    const { calls, cost } = event.compaction.receipt;
    return { ...tally, requests: tally.requests + calls, cost: tally.cost + cost };
  }
  if (event.type !== "message_end" || event.message.role !== "assistant") return tally;
  const { usage } = event.message;
  return {
    requests: tally.requests + 1,
    input: tally.input + usage.input + usage.cacheRead + usage.cacheWrite,
    cached: tally.cached + usage.cacheRead,
    output: tally.output + usage.output,
    cost: tally.cost + usage.cost.total,
  };
}

/** One line for people. */
export function told({ requests, input, cached, output, cost }: Tally): string {
  const parts = [
    `${requests} ${requests === 1 ? "request" : "requests"}`,
    `${tokens(input)} tokens in${cached > 0 ? ` (${tokens(cached)} from the cache)` : ""}`,
    `${tokens(output)} out`,
  ];
  return [...parts, ...(cost > 0 ? [`$${cost.toFixed(cost < 0.1 ? 4 : 2)}`] : [])].join(", ");
}

function tokens(count: number): string {
  return count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
}
