/** A session as other programs are told of it. */

import type { Agent } from "@pith/agent";
import { buildSessionContext, type Model } from "@pith/context";
import { sessionSums } from "../../commands/sessions/telling/session-sums.ts";
import type { RpcModel, RpcState, RpcStats, RpcUsage } from "../line/rpc-data.ts";
import type { Seat } from "../serving/seat.ts";

export async function stateOf({ ready }: Pick<Seat, "ready">): Promise<RpcState> {
  const { agent, sessionPath } = ready.built;
  const { session } = agent;
  const name = await session.store.name();
  return {
    model: agent.model.api === "none" ? null : modelOf(agent.model),
    thinkingLevel: agent.thinkingLevel,
    isStreaming: agent.isRunning,
    isCompacting: session.occupied.includes("compacting"),
    steeringMode: agent.deliveries.steer,
    followUpMode: agent.deliveries.followUp,
    sessionFile: sessionPath,
    sessionId: session.store.header.id,
    ...(name && { sessionName: name }),
    autoCompactionEnabled: agent.budget.limits.enabled,
    messageCount: buildSessionContext(session.window).messages.length,
    pendingMessageCount: agent.queue.length,
  };
}

export function modelOf({ provider, model, api, contextWindow, maxTokens }: Model): RpcModel {
  return { provider, id: model, api, contextWindow: finite(contextWindow) ?? 0, maxTokens: finite(maxTokens) ?? 0 };
}

export function usageOf(agent: Agent): RpcUsage {
  const { tokens, contextWindow } = agent.contextUsage();
  const window = finite(contextWindow) ?? 0;
  const percent = window > 0 ? Math.round((1000 * tokens) / window) / 10 : null;
  return { tokens, contextWindow: window, percent, limit: finite(agent.budget.limit) };
}

/** JSON knows no infinity. */
const finite = (amount: number): number | null => (Number.isFinite(amount) ? amount : null);

/** Null where the file cannot be read. */
export async function statsOf({ ready }: Pick<Seat, "ready">): Promise<RpcStats | null> {
  const { agent, sessionPath } = ready.built;
  const totals = await sessionSums(agent.session, sessionPath);
  if (!totals) return null;
  const { userMessages, assistantMessages, toolCalls, toolResults, compactions, usage } = totals;
  const { cost, totalTokens: total, ...tokens } = usage;
  return {
    sessionFile: sessionPath,
    sessionId: agent.session.store.header.id,
    ...{ userMessages, assistantMessages, toolCalls, toolResults, compactions },
    totalMessages: userMessages + assistantMessages + toolResults,
    tokens: { ...tokens, total },
    cost: cost.total,
    contextUsage: usageOf(agent),
  };
}
