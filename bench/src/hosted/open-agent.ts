/** Opens the agent of a session for `pnpm bench hosted`. To measure another agent, replace this function: it gets a store and returns an agent. */

import { Agent, type AgentEventListener, type Tool } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { openModel } from "@pith/models";
import type { OpenedAgent } from "@pith/server";
import { kindOf } from "./session-kinds.ts";

export interface OpenAgentOptions {
  readonly store: Store;
  readonly sessionId: string;
  /** The model server. */
  readonly modelUrl: string;
  readonly onEvent: AgentEventListener;
}

/** The same agent on a session in PostgreSQL and on a session file. */
export async function openBenchAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { store, sessionId, modelUrl, onEvent } = options;
  const baseUrl = `${modelUrl}/${kindOf(sessionId)}/v1`;
  const opened = await openModel({ provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl });
  if (opened.type !== "opened") throw new Error(opened.message);
  const session = await Session.open(store, nodeRuntime);
  const agent = new Agent({ session, model: opened.model, tools: [note], runtime: nodeRuntime, onEvent });
  return { agent, close: () => agent.close() };
}

/** A tool that costs nothing itself. */
const note: Tool = {
  name: "note",
  description: "Notes a line.",
  parameters: { type: "object", properties: { line: { type: "string" } }, required: ["line"] },
  isIdempotent: true,
  run: async () => ({ content: [{ type: "text", text: RESULT }] }),
};

const RESULT = "the quick brown fox ".repeat(50);
