/** Implements the RPC commands that read a session: its state, messages, statistics and context usage. */

import type { Agent } from "@pith/agent";
import type { RpcCommands, RpcModel, RpcState, RpcStats, RpcUsage } from "@pith/client";
import { buildSessionContext, type Model } from "@pith/context";
import { isAbsentModel } from "@pith/host/models/open-model";
import type { App } from "../../../app/start.ts";
import { findNthLastAnswer } from "../../../commands/copy.ts";
import { countSessionTotals } from "../../../sessions/session-stats.ts";
import { isCompacting } from "../../../text/compaction-text.ts";
import { failure, type RpcCommandDefinitions, success } from "../rpc-context.ts";

async function getState({
  agent,
  sessionPath,
  damage,
}: Pick<App, "agent" | "sessionPath" | "damage">): Promise<RpcState> {
  const { session } = agent;
  const name = await session.store.name();
  return {
    model: isAbsentModel(agent.model) ? null : toRpcModel(agent.model),
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

export function toRpcModel({ provider, model, api, contextWindow, maxTokens }: Model): RpcModel {
  return {
    provider,
    id: model,
    api,
    contextWindow: finiteOrNull(contextWindow) ?? 0,
    maxTokens: finiteOrNull(maxTokens) ?? 0,
  };
}

function toRpcUsage(agent: Agent): RpcUsage {
  const { tokens, isEstimate, measured, contextWindow } = agent.contextUsage();
  const window = finiteOrNull(contextWindow) ?? 0;
  const percent = window > 0 ? Math.round((1000 * tokens) / window) / 10 : null;
  return { tokens, isEstimate, measured, contextWindow: window, percent, limit: finiteOrNull(agent.budget.limit) };
}

/** JSON has no infinity. */
const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Null if the session file cannot be read. */
async function readStats({ agent, sessionPath }: Pick<App, "agent" | "sessionPath">): Promise<RpcStats | null> {
  const totals = await countSessionTotals(agent.session, sessionPath);
  if (!totals) return null;
  const { userMessages, assistantMessages, toolCalls, toolResults, compactions, usage } = totals;
  const { cost, totalTokens: total, ...tokens } = usage;
  return {
    sessionFile: sessionPath,
    sessionId: agent.session.store.header.id,
    userMessages,
    assistantMessages,
    toolCalls,
    toolResults,
    compactions,
    totalMessages: userMessages + assistantMessages + toolResults,
    tokens: { ...tokens, total },
    cost: cost.total,
    contextUsage: toRpcUsage(agent),
  };
}

export const stateCommands: RpcCommandDefinitions<
  keyof Pick<
    RpcCommands,
    "get_state" | "get_messages" | "get_last_assistant_text" | "get_session_stats" | "context_usage"
  >
> = {
  get_state: {
    description: "return the model, the work in progress, the session and the current options",
    example: { type: "get_state" },
    fields: {},
    run: async (_, { app }) => success(await getState(app)),
  },
  get_messages: {
    description:
      "return the messages in the current context: the last compaction's summary and kept messages, and the messages since",
    example: { type: "get_messages" },
    fields: {},
    run: async (_, { app }) => {
      const { session } = app.agent;
      await session.loadState();
      return success({ messages: buildSessionContext(session.branch).messages });
    },
  },
  get_last_assistant_text: {
    description: "return the model's last answer; `text` is null if there is none",
    example: { type: "get_last_assistant_text" },
    fields: {},
    run: async (_, { app }) => success({ text: await findNthLastAnswer(1, app.agent.session) }),
  },
  get_session_stats: {
    description: "return message counts, tokens and cost for all branches, and context window usage",
    example: { type: "get_session_stats" },
    fields: {},
    run: async (_, context) => {
      const stats = await readStats(context.app);
      return stats ? success(stats) : failure("the session file cannot be read; check that it still exists");
    },
  },
  context_usage: {
    description:
      "return the tokens in the next request, the context window, and the compaction threshold (`limit`). `isEstimate` is true if the provider has not reported the tokens: before the first reply, and after a compaction until the next reply. `measured` is the part of the tokens that the provider reported with the last reply",
    example: { type: "context_usage" },
    fields: {},
    run: async (_, { app }) => success(toRpcUsage(app.agent)),
  },
};
