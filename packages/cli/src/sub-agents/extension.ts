/** Creates the sub-agent extension: one tool, and a state section that lists the sub-agents in the background. */

import type { Extension, ExtensionApi, ExtensionContext } from "@pith/agent";
import { type Redaction, textTokens } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { truncate } from "@pith/host/text/safe-text";
import { type AgentDefinition, findAgents } from "./definitions.ts";
import { findStartedSubAgents, type OpenSubAgents, readSubAgentLog, SUB_AGENT, selectOpenSubAgents } from "./log.ts";
import { recoverUnreported, type SubAgent, SubAgentPool } from "./pool.ts";
import { createResultMessage, type ResultMessage, type SubAgentResult } from "./result.ts";
import type { ParentLimits, SubAgentOptions } from "./sub-agent-options.ts";
import { runTool } from "./tool.ts";
import { createToolSchema } from "./tool-input.ts";

export async function createSubAgentsExtension({
  home,
  trustedFolder,
  parentLimits,
  vault,
  notify,
}: SubAgentOptions): Promise<Extension> {
  const { agents, notes } = await findAgents({ home, ...(trustedFolder && { trustedFolder }) });
  for (const line of notes) notify?.(line);
  return (pith) => {
    if (parentLimits && agents.length > 0)
      registerSubAgents(pith, { agents, parentLimits, redaction: vault ?? noRedaction });
  };
}

interface RegisterOptions {
  readonly agents: readonly AgentDefinition[];
  readonly parentLimits: ParentLimits;
  readonly redaction: Redaction;
}

interface SessionState {
  readonly pool: SubAgentPool;
  /** Results of an earlier process that were not reported yet. */
  unreported: readonly SubAgentResult[];
  readonly context: ExtensionContext;
}

function registerSubAgents(pith: ExtensionApi, { agents, parentLimits, redaction }: RegisterOptions): void {
  let state: SessionState | null = null;
  pith.on("session_start", async (_, context) => {
    await state?.pool.close();
    const onRunningCount = (count: number): void => context.ui.setStatus("sub-agents", formatRunningCount(count));
    const pool = new SubAgentPool({ pith, context, parentLimits, onRunningCount });
    state = { pool, context, unreported: [] };
    state.unreported = await recoverUnreported(await readSubAgentLog(context.session), {
      pool,
      file: context.session.file,
    });
  });
  recordOpenAtCompaction(pith);
  sendUnreported(pith, () => {
    const { unreported = [] } = state ?? {};
    if (state) state.unreported = [];
    return unreported.length === 0 ? null : createResultMessage(unreported);
  });
  pith.on("session_shutdown", async () => {
    await state?.pool.close();
  });
  pith.on("message_start", ({ message }) => {
    if (message.role === "user") state?.pool.resetStartLimit();
  });
  // An abort by the user also stops every sub-agent.
  pith.on("agent_settled", ({ aborted }) => {
    if (aborted)
      for (const subAgent of state?.pool.subAgents ?? []) if (subAgent.result === null) void state?.pool.drop(subAgent);
  });
  pith.registerState("sub-agents", () => formatState(listBackgroundSubAgents(state?.pool)));
  pith.registerTool({
    ...createToolSchema(agents),
    // The sub-agents ask for permission themselves, for each of their own tool calls.
    intent: () => ({ type: "nothing" }),
    isConcurrent: true,
    run: async (call) => {
      if (!state) return { content: [{ type: "text", text: "The session has not started yet." }], isError: true };
      const { pool, context } = state;
      const findStarted = (id: string) => findStartedSubAgents(context.session, id);
      // The task goes to another model, which must not see the secrets either.
      const redactedCall = { ...call, arguments: redaction.redact(call.arguments) };
      return await runTool(redactedCall, { pool, agents, hasUser: context.hasUI, findStarted });
    },
  });
}

/** Undefined clears the status. */
function formatRunningCount(count: number): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? "sub-agent" : "sub-agents"} running`;
}

/** Adds the unreported sub-agents after each compaction, so that a start need not read the entries before it. */
function recordOpenAtCompaction(pith: ExtensionApi): void {
  let openSubAgents: OpenSubAgents | null = null;
  pith.on("session_before_compact", async (_, { session }) => {
    openSubAgents = selectOpenSubAgents(await readSubAgentLog(session));
  });
  pith.on("session_compact", () => {
    const data = openSubAgents;
    openSubAgents = null;
    return data ? { entries: [{ type: "custom", customType: SUB_AGENT, data }] } : undefined;
  });
}

/** Sends the results after the first prompt or, if a run is resumed without a prompt, after its first turn. */
function sendUnreported(pith: ExtensionApi, takeMessage: () => ResultMessage | null): void {
  pith.on("before_agent_start", () => {
    const message = takeMessage();
    return message ? { message } : undefined;
  });
  pith.on("turn_end", () => {
    const message = takeMessage();
    return message ? { entries: [{ type: "custom_message", ...message }], continue: true } : undefined;
  });
}

/**
 * Leaves out the current activity: each change of the state is sent to the model again. LED13: tasks are cut, and sub-agents that do
 * not fit are counted.
 */
export function formatState(subAgents: readonly Pick<SubAgent, "id" | "agent" | "task">[]): string | null {
  if (subAgents.length === 0) return null;
  const shown = subAgents.slice(0, MAX_STATE_LINES);
  const listed = subAgents.length > shown.length ? ` (${shown.length} of ${subAgents.length})` : "";
  const texts = STATE_TASK_CHARS.map((maxChars) => {
    const lines = shown.map(({ id, agent, task }) => `- ${id} (${agent}): ${truncate(task, maxChars)}`);
    return [`Sub-agents still working${listed}; do not start them again:`, ...lines].join("\n");
  });
  return texts.find((text) => textTokens(text) <= MAX_STATE_TOKENS) ?? texts.at(-1) ?? null;
}

function listBackgroundSubAgents(pool: SubAgentPool | undefined): readonly SubAgent[] {
  return (pool?.subAgents ?? []).filter(({ isBackground, result }) => isBackground && result === null);
}

const MAX_STATE_TOKENS = 52;
const MAX_STATE_LINES = 2;
const STATE_TASK_CHARS: readonly number[] = [120, 60, 30, 15, 8];
