/** How full the context is, and what the session has cost. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Agent } from "@pith/agent";

/** Null where nobody knows how much fits. `cost` is null where it was not counted. */
export function usageUpdate(agent: Pick<Agent, "contextUsage">, cost: number | null): SessionUpdate | null {
  const { tokens, contextWindow } = agent.contextUsage();
  if (contextWindow <= 0) return null;
  const paid = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
  return { sessionUpdate: "usage_update", used: tokens, size: contextWindow, ...paid };
}
