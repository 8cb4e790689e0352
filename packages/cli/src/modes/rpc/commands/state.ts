/** Implements the RPC commands that read a session: its state, messages, statistics and context usage. */

import type { Agent } from "@pith/agent";
import type { RpcCommands, RpcModel, RpcState, RpcStats, RpcUsage } from "@pith/client";
import { buildSessionContext, type Model } from "@pith/context";
import { nthAnswer } from "../../../commands/copy.ts";
import { sessionSums } from "../../../sessions/session-stats.ts";
import { isCompacting } from "../../../text/compaction-text.ts";
import { done, failed, type Rows, type Seat } from "../rpc-context.ts";

export async function stateOf({ ready }: Pick<Seat, "ready">): Promise<RpcState> {
  const { agent, sessionPath, damage } = ready.built;
  const { session } = agent;
  const name = await session.store.name();
  return {
    model: agent.model.api === "none" ? null : modelOf(agent.model),
    thinkingLevel: agent.thinkingLevel,
    isStreaming: agent.isRunning,
    isCompacting: isCompacting(agent),
    steeringMode: agent.queueModes.steer,
    followUpMode: agent.queueModes.followUp,
    sessionFile: sessionPath,
    sessionId: session.store.header.id,
    ...(name && { sessionName: name }),
    autoCompactionEnabled: agent.budget.limits.enabled,
    messageCount: buildSessionContext(session.branch).messages.length,
    pendingMessageCount: agent.queue.length,
    ...(damage && { damage: damage.message }),
  };
}

export function modelOf({ provider, model, api, contextWindow, maxTokens }: Model): RpcModel {
  return { provider, id: model, api, contextWindow: finite(contextWindow) ?? 0, maxTokens: finite(maxTokens) ?? 0 };
}

export function usageOf(agent: Agent): RpcUsage {
  const { tokens, isEstimate, measured, contextWindow } = agent.contextUsage();
  const window = finite(contextWindow) ?? 0;
  const percent = window > 0 ? Math.round((1000 * tokens) / window) / 10 : null;
  return { tokens, isEstimate, measured, contextWindow: window, percent, limit: finite(agent.budget.limit) };
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

export const telling: Rows<
  keyof Pick<
    RpcCommands,
    "get_state" | "get_messages" | "get_last_assistant_text" | "get_session_stats" | "context_usage"
  >
> = {
  get_state: {
    says: "who speaks, what is under way, which session this is, and what is set",
    example: { type: "get_state" },
    fields: {},
    run: async (_, seat) => done(await stateOf(seat)),
  },
  get_messages: {
    says: "the context as it is now: what a compaction put in front, and what was said since",
    example: { type: "get_messages" },
    fields: {},
    run: async (_, { ready }) => {
      const { session } = ready.built.agent;
      await session.loadState();
      return done({ messages: buildSessionContext(session.branch).messages });
    },
  },
  get_last_assistant_text: {
    says: "the last answer of the model; `text` is null where there is none",
    example: { type: "get_last_assistant_text" },
    fields: {},
    run: async (_, { ready }) => done({ text: await nthAnswer(1, ready.built.agent.session) }),
  },
  get_session_stats: {
    says: "messages, tokens and cost over all branches, and what fills the window",
    example: { type: "get_session_stats" },
    fields: {},
    run: async (_, seat) => {
      const stats = await statsOf(seat);
      return stats ? done(stats) : failed("the session's file cannot be read; is it still there?");
    },
  },
  context_usage: {
    says: "the tokens of the next request, the window, and the limit above which it is compacted. `isEstimate` is true where no reply has measured it: before the first one, and after a compaction until the next; of the tokens `measured` are by the last reply",
    example: { type: "context_usage" },
    fields: {},
    run: async (_, { ready }) => done(usageOf(ready.built.agent)),
  },
};
