/** Creates an agent with hooks and a scripted model, and records reported failures and tool calls. */

import type { AssistantMessage, Entry } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "@pith/context/testing";
import type { AgentHooks, AgentOptions, Tool } from "../../src/index.ts";
import { createTestAgent, type TestAgent } from "../support/held-agent.ts";

export interface Scene extends TestAgent {
  readonly model: ScriptedModel;
  readonly failures: readonly HookFailure[];
  readonly toolInputs: readonly Readonly<Record<string, unknown>>[];
  /** The entries of the branch. */
  readonly log: () => Promise<readonly Entry[]>;
  /** The request with this index, as JSON. */
  readonly requestText: (request: number) => string;
}

export async function createScene(
  replies: readonly ScriptedReply[],
  hooks: AgentHooks,
  parts: Partial<AgentOptions> = {},
): Promise<Scene> {
  const model = scriptedModel(...replies);
  const failures: HookFailure[] = [];
  const toolInputs: Readonly<Record<string, unknown>>[] = [];
  const report = (failure: HookFailure): void => void failures.push(failure);
  const test = await createTestAgent(model, {
    tools: [worker(toolInputs)],
    summarizers: [],
    ...parts,
    hooks: { report, ...hooks },
  });
  const log = () => test.agent.session.branchEntries();
  return {
    ...test,
    model,
    failures,
    toolInputs,
    log,
    requestText: (request) => JSON.stringify(model.requests[request]),
  };
}

function worker(toolInputs: Readonly<Record<string, unknown>>[]): Tool {
  return {
    name: "work",
    description: "It works.",
    parameters: { type: "object" },
    isIdempotent: true,
    run: async ({ arguments: given }) => {
      toolInputs.push(given);
      return { content: [{ type: "text", text: "worked" }], details: { of: "work" } };
    },
  };
}

export const workCall = (given: Readonly<Record<string, unknown>> = {}): Pick<AssistantMessage, "content"> => ({
  content: [{ type: "toolCall", id: "c1", name: "work", arguments: given }],
});

export const customMessage = (content: string) =>
  ({ type: "custom_message", customType: "mine", content, display: true }) as const;
